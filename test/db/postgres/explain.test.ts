import { expect, test } from 'vitest'
import { explain, isConnectionLost } from '../../../src/db/postgres/explain.ts'
import { isAway, type Refusal } from '../../../src/domain/rules/refusal.ts'

const place = 'postgresql://ada@db.example.net/shop (shop)'

/** An error as `pg` throws it. */
const errorOf = (code: string, message: string): Error => Object.assign(new Error(message), { code })

test.each([
  ['57P01', 'terminating connection due to administrator command'],
  ['57P02', 'terminating connection because of crash of another server process'],
  ['57P03', 'the database system is starting up'],
  ['57P05', 'terminating connection due to idle-session timeout'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout'],
  ['25P04', 'terminating connection due to transaction timeout'],
  ['08006', 'connection failure'],
  ['ECONNRESET', 'read ECONNRESET'],
])('a connection that the server ended with %s is lost, and the board is asked again', (code, message) => {
  const error = errorOf(code, message)
  expect(isConnectionLost(error)).toBe(true)
  const refusal = explain(error, place) as Refusal
  expect(refusal.message).toBe(
    `PostgreSQL at ${place} does not answer (${message}). Nothing was written; check the server and the network, then try again.`,
  )
  expect([refusal.code, refusal.retryable, isAway(refusal)]).toEqual(['store_unreachable', true, true])
})

test('an error that only a bug can cause is not taken for a lost connection', () => {
  for (const code of ['25P01', '25P02', '42601', '23505', 'ENOENT']) {
    const error = errorOf(code, 'x')
    expect([code, isConnectionLost(error), explain(error, place) === error]).toEqual([code, false, true])
  }
})

test('an unknown certificate is refused with what to do here, without the advice of Node.js', () => {
  const said =
    'unable to get local issuer certificate; if the root CA is installed locally, try running Node.js with --use-system-ca'
  expect((explain(errorOf('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', said), place) as Refusal).message).toBe(
    `The certificate of PostgreSQL at ${place} was not accepted (unable to get local issuer certificate). Renew it, or name its authority with sslrootcert=FILE in the store's address.`,
  )
})

test('a certificate for another name and a port of another program are refused with what to do about each', () => {
  const name =
    "Hostname/IP does not match certificate's altnames: Host: db.example.net. is not in the cert's altnames: DNS:db"
  expect((explain(errorOf('ERR_TLS_CERT_ALTNAME_INVALID', name), place) as Refusal).message).toBe(
    `The certificate of PostgreSQL at ${place} was not accepted (${name}). Write a name of the certificate into the store's address, or give the server a certificate for this one.`,
  )
  const spoken = 'There was an error establishing an SSL connection'
  for (const error of [new Error(spoken), errorOf('ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number')])
    expect((explain(error, place) as Refusal).message).toBe(
      `No encrypted connection could begin at ${place} (${error.message}): another program than PostgreSQL may have this port. Check host and port in the store's address, and the log of the server.`,
    )
})
