import { expect, test } from 'vitest'
import { explain, isConnectionLost } from '../../../src/db/postgres/errors.ts'
import { isAway, problemOf, type Refusal } from '../../../src/domain/rules/refusal.ts'

const place = 'postgresql://ada@db.example.net/shop (shop)'

/** An error as `pg` throws it. */
const errorOf = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const ended = 'Nothing was written; try again.'

test.each([
  [
    '57P01',
    'terminating connection due to administrator command',
    'is being stopped, or its administrator ended the connection',
    'Nothing was written; try again when it runs.',
  ],
  [
    '57P02',
    'terminating connection because of crash of another server process',
    'restarts, because one of its processes crashed',
    'Nothing was written; try again in a moment, and look into its log.',
  ],
  [
    '57P03',
    'the database system is starting up',
    'takes no connections now',
    'Nothing was written; wait until it has started, then try again.',
  ],
  [
    '57P05',
    'terminating connection due to idle-session timeout',
    'ended the connection, because this program was idle for longer than its idle_session_timeout',
    ended,
  ],
  [
    '25P03',
    'terminating connection due to idle-in-transaction timeout',
    'ended the connection, because this program was stopped in the middle of its work',
    ended,
  ],
  [
    '25P04',
    'terminating connection due to transaction timeout',
    'ended the connection, because the work took longer than its transaction_timeout',
    'Nothing was written; raise that for this login, or try again when the server has less to do.',
  ],
  ...(['08006', 'ETIMEDOUT'] as const).map((code) => [
    code,
    'the network failed',
    'does not answer',
    'Nothing was written; check the server and the network, then try again.',
  ]),
  ...(['EPIPE', 'ECONNRESET'] as const).map((code) => [
    code,
    'the network failed',
    'ended the connection, or the network did',
    'Nothing was written; try again, and check the server and the network if that does not help.',
  ]),
] as [string, string, string, string][])(
  'a connection that ended with %s is lost, the sentence says why, and the board is asked again',
  (code, said, why, advice) => {
    const error = errorOf(code, said)
    expect(isConnectionLost(error)).toBe(true)
    const refusal = explain(error, place) as Refusal
    expect(refusal.message).toBe(`PostgreSQL at ${place} ${why} (${said}). ${advice}`)
    expect([refusal.code, refusal.retryable, isAway(refusal)]).toEqual(['store_unreachable', true, true])
  },
)

test('the sentences of one outage are one problem, which is said once, and another problem is another one', () => {
  const problem = (code: string, said = 'x'): string => problemOf(explain(errorOf(code, said), place) as Refusal)
  for (const code of ['57P01', '57P02', '57P03', '57P05', '25P03', 'EPIPE', 'ECONNREFUSED', 'ENOTFOUND'])
    expect([code, problem(code)]).toEqual([code, problem('08006', 'cut')])
  const others = ['25P04', '53100', '53200', '53300', '53400', '28P01'].map((code) => problem(code))
  expect(new Set([...others, problem('08006')]).size).toBe(others.length + 1)
})

test('a database that was removed is said to be so, after the connection is lost', () => {
  const error = errorOf('57P04', 'terminating connection due to conflict with recovery')
  expect(isConnectionLost(error)).toBe(true)
  expect(explain(error, place)).toMatchObject({
    code: 'not_found',
    message: `The database of the board at ${place} was removed (terminating connection due to conflict with recovery). Restore it from a backup, or correct the store's address.`,
  })
})

test.each([
  ['53000', 'insufficient resources', /has no room left \(.*\); nothing was written\. Make room on the server/],
  ['53100', 'could not extend file: No space left on device', /has no room left .*Make room on the server/],
  ['53200', 'out of memory', /has too little memory \(out of memory\); .*End other programs on the server/],
  [
    '53400',
    'temporary file size exceeds temp_file_limit (100kB)',
    /met a limit of its configuration .*Raise the limit/,
  ],
  ['53300', 'too many connections for role "ada"', /has no free connection \(.*\)\. .*CONNECTION LIMIT of the role/],
  ['08P01', 'no more connections allowed (max_client_conn)', /has no free connection \(no more connections allowed/],
])('a server that lacks something, as it says with %s, does not blame the network', (code, said, sentence) => {
  const { message } = explain(errorOf(code, said), place) as Refusal
  expect(message).toMatch(sentence)
  expect(message).not.toContain('network')
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
