"""The vocabulary behind proposed roles: what columns are about, in German and English."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tarnkappe.language import Text
from tarnkappe.vocab import Role

Hint = Literal["", "digits", "bands", "dates"]
"""The kind of hierarchy that fits a topic."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Something columns are about."""

    text: Text
    roles: tuple[Role, ...]
    words: str
    """Words and phrases, separated by commas; German and English, umlauts spelt out."""
    article: int = 0
    """9 or 10 where the GDPR puts such data under special protection."""
    hint: Hint = ""


_ID, _KEY, _SENSITIVE, _NUMERIC = (Role.IDENTIFIER,), (Role.KEY,), (Role.SENSITIVE,), (Role.NUMERIC,)
_MONEY = (Role.NUMERIC, Role.SENSITIVE)

# fmt: off
NAME = Topic(Text("a name", "ein Name"), _ID, """
    vorname, nachname, familienname, geburtsname, maedchenname, kundenname, firmenname, benutzername,
    zuname, first name, last name, surname, forename, given name, family name, full name, maiden name,
    user name, username, login, company name, owner name, employer name, contact, ansprechpartner,
    firma, arbeitgeber, employer, company
""")
NUMBER = Topic(Text("a number for persons, firms, cases", "eine Nummer für Personen, Firmen, Fälle"), _ID, """
    kundennummer, versicherungsnummer, versichertennummer, policennummer, vertragsnummer, schadennummer,
    mitgliedsnummer, personalnummer, patientennummer, matrikelnummer, betriebsnummer,
    unternehmensnummer, aktenzeichen, policy number, policy no, contract number, claim number, member
    number, employee number, patient number, record number, serial number, laufende nummer, lfd nr,
    identifier, uuid, guid, primary key
""")
COUNT = Topic(Text("a count", "eine Anzahl"), _NUMERIC, """
    anzahl, count, counts, frequency, haeufigkeit, faelle, cases
""")

TOPICS: tuple[Topic, ...] = (
    NAME,
    NUMBER,
    Topic(Text("an address", "eine Adresse"), _ID, """
        strasse, str, street, adresse, address, anschrift, hausnummer, hausnr, house number, house no,
        postfach, latitude, longitude, lat, lon, lng, breitengrad, laengengrad, gps, koordinate,
        koordinaten, coordinates, geom
    """),
    Topic(Text("an e-mail address or a web page", "eine E-Mail-Adresse oder Webseite"), _ID, """
        email, e mail, mail, mailadresse, url, website, webseite, homepage, twitter, account name
    """),
    Topic(Text("a telephone number", "eine Telefonnummer"), _ID, """
        telefon, telefonnummer, tel, phone, phone number, telephone, fax, mobil, mobile, handy,
        rufnummer, cell phone
    """),
    Topic(Text("a bank account", "eine Bankverbindung"), _ID, """
        iban, bic, swift, kontonummer, kontonr, konto, bankverbindung, kreditkarte, kreditkartennummer,
        account number, bank account, credit card, card number
    """),
    Topic(Text("an official number", "eine amtliche Nummer"), _ID, """
        steuernummer, steuernr, steuer id, steueridentifikationsnummer, tax id, tax number, tax no, tin,
        ssn, sozialversicherungsnummer, rentenversicherungsnummer, svnr, rvnr, kvnr,
        krankenversichertennummer, ahv, ahvn, social security number, social security, national id,
        passport, passport number, reisepass, passnummer, personalausweis, ausweisnummer,
        handelsregister, handelsregisternummer, hrb, hra, ust id, ustid, vat id, vat number, lei,
        umsatzsteuer id, driving licence, fuehrerscheinnummer
    """),
    Topic(Text("a vehicle or a device of somebody", "ein Fahrzeug oder Gerät einer Person"), _ID, """
        kennzeichen, kfz kennzeichen, licence plate, license plate, vin, fahrgestellnummer, fin, ip, ip
        address, ip adresse, mac address, imei, cookie, device id, geraetenummer
    """),
    Topic(Text("free text, which may name people", "freier Text, der Personen nennen kann"), _ID, """
        bemerkung, bemerkungen, kommentar, anmerkung, freitext, notiz, comment, comments, remark,
        remarks, note, notes, free text, foto, photo, bild, image, unterschrift, signature
    """),
    # -- what an attacker may know --------------------------------------------------------------------------
    Topic(Text("a postcode", "eine Postleitzahl"), _KEY, """
        plz, postleitzahl, postcode, post code, postal code, zip, zip code, zipcode
    """, hint="digits"),
    Topic(Text("a place", "ein Ort"), _KEY, """
        ort, wohnort, stadt, stadtteil, viertel, gemeinde, gemeindeschluessel, ags, kreis, landkreis,
        kreisschluessel, bezirk, bundesland, land, kanton, region, regionalschluessel, gebiet, quartier,
        standort, arbeitsort, geburtsort, city, town, municipality, district, county, state, province,
        canton, area, quarter, neighbourhood, neighborhood, borough, country, place, residence,
        location, birthplace, place of birth, nuts, parish, village, dorf
    """, hint="digits"),
    Topic(Text("a date or year of birth", "ein Geburtsdatum oder Geburtsjahr"), _KEY, """
        geburtsdatum, geburtstag, geburtsjahr, geburtsmonat, geburt, geb datum, gebdatum, gebdat,
        gebjahr, geb jahr, birth date, birthdate, birth, birthday, dob, birth year, date of birth, year
        of birth, born
    """, hint="dates"),
    Topic(Text("an age", "ein Alter"), _KEY, """
        alter, alters, lebensalter, eintrittsalter, age, age group, age class, ages
    """, hint="bands"),
    Topic(Text("the sex", "das Geschlecht"), _KEY, """
        geschlecht, sex, gender
    """),
    Topic(Text("the marital status", "der Familienstand"), _KEY, """
        familienstand, zivilstand, personenstand, marital status, marital, civil status, relationship
    """),
    Topic(Text("a nationality", "eine Staatsangehörigkeit"), _KEY, """
        nationalitaet, staatsangehoerigkeit, staatsbuergerschaft, geburtsland, nationality, citizenship,
        country of birth, native country, muttersprache, sprache, language, mother tongue
    """),
    Topic(Text("an occupation", "ein Beruf"), _KEY, """
        beruf, berufs, taetigkeit, berufsbezeichnung, stellung im beruf, erwerbsstatus,
        erwerbstaetigkeit, kldb, occupation, job, job title, profession, employment status, employment,
        labour status, workclass, isco
    """, hint="digits"),
    Topic(Text("education", "die Bildung"), _KEY, """
        bildung, schulabschluss, schulbildung, ausbildung, abschluss, hochschulabschluss, education,
        degree, school, schooling, qualification, isced
    """),
    Topic(Text("the composition of the household", "die Zusammensetzung des Haushalts"), _KEY, """
        haushaltsgroesse, haushaltstyp, familiengroesse, kinder, kinderzahl, anzahl kinder, personen im
        haushalt, household size, household type, family size, children, number of children, dependents,
        rooms
    """),
    Topic(Text("a branch of industry", "ein Wirtschaftszweig"), _KEY, """
        nace, wz, branche, wirtschaftszweig, wirtschaftsbereich, sektor, industry, sector, isic, noga,
        oenace, branch, naics, line of business
    """, hint="digits"),
    Topic(Text("a size class", "eine Größenklasse"), _KEY, """
        groessenklasse, beschaeftigtengroessenklasse, umsatzgroessenklasse, umsatzklasse,
        beschaeftigtenklasse, size class, size, employee class, turnover class
    """),
    Topic(Text("a legal form", "eine Rechtsform"), _KEY, """
        rechtsform, legal form, legal status, unternehmensform
    """),
    Topic(Text("the build of a body", "der Körperbau"), _KEY, """
        koerpergroesse, koerpergewicht, groesse, groesse cm, gewicht kg, height, body height, body
        weight, weight kg, haarfarbe, augenfarbe, hair colour, eye colour
    """, hint="bands"),
    Topic(Text("a vehicle model", "ein Fahrzeugmodell"), _KEY, """
        fahrzeug, fahrzeugtyp, typklasse, vehicle, car, modell, model
    """),
    Topic(Text("a date", "ein Datum"), _KEY, """
        datum, date, eintritt, eintrittsdatum, austritt, beginn, ende, start, end, entry, exit,
        aufnahme, entlassung, admission, discharge, sterbedatum, death, unfalldatum, schadendatum,
        zeitpunkt, timestamp, tag, day
    """, hint="dates"),
    # -- what would hurt if it became known -----------------------------------------------------------------
    Topic(Text("health", "die Gesundheit"), _SENSITIVE, """
        diagnose, krankheit, erkrankung, vorerkrankung, icd, befund, medikament, medikation, therapie,
        behandlung, behinderung, behinderungsgrad, pflegegrad, gesundheit, gesundheitszustand, hiv,
        blutgruppe, blutdruck, schwanger, schwangerschaft, raucher, allergie, impfung, impfstatus,
        krankenhaus, symptom, todesursache, diagnosis, diagnoses, disease, illness, condition,
        medication, drug, therapy, treatment, disability, health, bmi, blood, blood pressure, blood
        group, pregnant, pregnancy, smoker, smoking, allergy, vaccination, hospital, symptoms,
        cholesterol, cause of death, mental
    """, article=9, hint="digits"),
    Topic(Text("religion or belief", "Religion oder Weltanschauung"), _SENSITIVE, """
        religion, konfession, kirche, kirchensteuer, glaube, weltanschauung, church, faith,
        denomination, belief
    """, article=9),
    Topic(Text("membership of a trade union", "Gewerkschaftszugehörigkeit"), _SENSITIVE, """
        gewerkschaft, gewerkschaftsmitglied, trade union, union, union member
    """, article=9),
    Topic(Text("political opinion", "politische Meinung"), _SENSITIVE, """
        partei, parteimitglied, politik, politisch, wahlverhalten, party, political, politics, vote,
        voting
    """, article=9),
    Topic(Text("racial or ethnic origin", "rassische oder ethnische Herkunft"), _SENSITIVE, """
        ethnie, ethnisch, herkunft, migrationshintergrund, hautfarbe, rasse, ethnicity, ethnic, ethnic
        origin, race, skin colour, skin color, migration background, tribe, caste
    """, article=9),
    Topic(Text("sex life or sexual orientation", "Sexualleben oder sexuelle Orientierung"), _SENSITIVE, """
        sexualitaet, sexuell, sexuelle orientierung, sexual, sexuality, sexual orientation, orientierung
    """, article=9),
    Topic(Text("genetic or biometric data", "genetische oder biometrische Daten"), _SENSITIVE, """
        genetik, genetisch, genom, dna, dns, biometrie, biometrisch, fingerabdruck, gesichtsbild,
        genetic, genetics, genome, genotype, biometric, fingerprint, face
    """, article=9),
    Topic(Text("crimes and convictions", "Straftaten und Verurteilungen"), _SENSITIVE, """
        straftat, vorstrafe, vorstrafen, delikt, verurteilung, crime, criminal, criminal record,
        conviction, offence, offense
    """, article=10),
    Topic(Text("hardship", "eine Notlage"), _SENSITIVE, """
        arbeitslos, arbeitslosigkeit, sozialhilfe, buergergeld, transferleistung, schulden, insolvenz,
        bonitaet, schufa, unemployed, unemployment, welfare, social benefits, debt, debts, insolvency,
        bankruptcy, credit score, default
    """),
    # -- amounts --------------------------------------------------------------------------------------------
    Topic(Text("income or wealth", "Einkommen oder Vermögen"), _MONEY, """
        einkommen, gehalt, lohn, bruttolohn, verdienst, entgelt, rente, vermoegen, einkommensteuer,
        income, salary, wage, wages, earnings, pension, wealth, assets, capital gain, capital loss,
        income tax
    """),
    Topic(Text("profit", "ein Gewinn"), _MONEY, """
        gewinn, verlust, ergebnis, jahresueberschuss, profit, loss, ebit, surplus
    """),
    Topic(Text("turnover", "ein Umsatz"), _NUMERIC, """
        umsatz, erloes, erloese, export, exporte, import, importe, turnover, revenue, sales, exports,
        imports
    """),
    Topic(Text("staff", "die Beschäftigten"), _NUMERIC, """
        beschaeftigte, beschaeftigtenzahl, mitarbeiter, mitarbeiterzahl, employees, staff, headcount,
        persons employed, workforce
    """),
    Topic(Text("claims, benefits or premiums", "Schäden, Leistungen oder Beiträge"), _NUMERIC, """
        schaden, schaeden, schadenhoehe, schadenanzahl, leistung, leistungen, praemie, beitrag, beitraege,
        versicherungssumme, claim, claims, claims amount, benefit, benefits, premium, premiums, sum insured
    """),
    Topic(Text("an amount of money", "ein Geldbetrag"), _NUMERIC, """
        betrag, kosten, aufwand, ausgaben, investition, investitionen, preis, miete, steuer, kapital,
        bilanzsumme, amount, cost, costs, expenses, expenditure, investment, investments, price, rent, tax,
        capital, balance, fare, payment
    """),
    COUNT,
    Topic(Text("a measured quantity", "eine gemessene Größe"), _NUMERIC, """
        wert, menge, volumen, flaeche, stunden, dauer, value, per week, per month, per year, pro woche,
        pro monat, pro jahr, quantity, volume, hours, duration, distance, rate, ratio, temperature,
        energy, energie, verbrauch, consumption
    """),
    # -- what orders the records ----------------------------------------------------------------------------
    Topic(Text("a survey weight", "ein Hochrechnungsgewicht"), (Role.WEIGHT,), """
        gewicht, gewichtung, hochrechnungsfaktor, hochrechnung, hrf, weight, weights, survey weight,
        design weight, sampling weight, expansion factor, fnlwgt, wgt
    """),
    Topic(Text("a household", "ein Haushalt"), (Role.HOUSEHOLD,), """
        haushalt, haushaltsnummer, haushaltsnr, haushalts id, hhid, hh id, hid, hhnr, familiennummer,
        bedarfsgemeinschaft, household, household id, household number, family id
    """),
    Topic(Text("an owner of several units", "ein Eigentümer mehrerer Einheiten"), (Role.OWNER,), """
        konzern, konzernnummer, konzern id, eigentuemer, inhaber, unternehmensgruppe, gruppen id,
        muttergesellschaft, muttergesellschaft id, holding, owner, owner id, enterprise group, company
        group, group id, parent company, parent id
    """),
    Topic(Text("a period", "ein Zeitraum"), (Role.PERIOD, Role.KEY), """
        jahr, berichtsjahr, erhebungsjahr, kalenderjahr, geschaeftsjahr, periode, berichtsperiode,
        monat, berichtsmonat, quartal, woche, welle, stichtag, zeitraum, year, survey year, reporting
        year, period, month, week, wave
    """),
    Topic(Text("a stratum", "eine Schicht"), (Role.STRATUM,), """
        schicht, stratum, strata, schichtung, stratification
    """),
)

NOUNS = """
    kunde kunden customer client mandant patient patienten person personen personal mitarbeiter employee
    betrieb betriebs unternehmen unternehmens firm firma firmen company enterprise unit einheit
    einheiten record row satz datensatz lfd laufende fall case vertrag vertrags contract police policen
    policy schaden claim konto account mitglied mitglieds member student studenten schueler pupil user
    nutzer benutzer versicherten versicherung insured order auftrags rechnungs invoice antrags
    application probanden subject participant respondent teilnehmer befragten matrikel sequence seq
    serial unique main local
"""
"""What numbers are given to: persons, firms, cases."""
NUMBER_ENDS = ("id", "ids", "nr", "no", "num", "nummer", "number", "kennung", "key", "index", "idx")
NAME_ENDS = ("name", "namen", "names")
# fmt: on
