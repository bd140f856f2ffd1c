"""What an attacker can work out from what is published. Audits and protectors call it; it knows neither."""
