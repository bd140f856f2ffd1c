"""SipHash-2-4 of bytes, step by step as in the paper, with Python's whole numbers."""

MASK = 2**64 - 1


def siphash(key, message):
    def rotl(x, b):
        return ((x << b) | (x >> (64 - b))) & MASK

    def sipround():
        v[0] = (v[0] + v[1]) & MASK
        v[1] = rotl(v[1], 13) ^ v[0]
        v[0] = rotl(v[0], 32)
        v[2] = (v[2] + v[3]) & MASK
        v[3] = rotl(v[3], 16) ^ v[2]
        v[0] = (v[0] + v[3]) & MASK
        v[3] = rotl(v[3], 21) ^ v[0]
        v[2] = (v[2] + v[1]) & MASK
        v[1] = rotl(v[1], 17) ^ v[2]
        v[2] = rotl(v[2], 32)

    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    whole = len(message) // 8 * 8
    words = [int.from_bytes(message[i : i + 8], "little") for i in range(0, whole, 8)]
    words.append(int.from_bytes(message[whole:], "little") | (len(message) % 256) << 56)
    for m in words:
        v[3] ^= m
        sipround()
        sipround()
        v[0] ^= m
    v[2] ^= 0xFF
    for _ in range(4):
        sipround()
    return v[0] ^ v[1] ^ v[2] ^ v[3]
