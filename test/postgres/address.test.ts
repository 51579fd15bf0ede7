import { expect, test } from 'vitest'
import { clientConfig, shown } from '../../src/db/postgres/address.ts'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { refusal } from '../support/core.ts'
import { postgresScripts } from '../support/postgres.ts'

const at = (url: string) => ({ url, schema: 'board' })

const refusedAt = (url: string) => refusal(openPostgres(at(url), { migrations: postgresScripts }))

test.each(['postgresql://ada:secret@db.example.com/board', 'postgresql://ada@db.example.com/board?password=secret'])(
  'an address with a password is refused without repeating it: %s',
  async (url) => {
    const { code, message } = await refusedAt(url)
    expect(code).toBe('config_invalid')
    expect(message).toMatch(/contains a password.*put the password into ~\/\.pgpass/)
    expect(message).not.toContain('secret')
  },
)

test.each(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'no-verify'])(
  'sslmode=%s to another machine is refused',
  async (mode) => {
    const { code, message } = await refusedAt(`postgresql://ada@db.example.com/board?sslmode=${mode}`)
    expect(code).toBe('config_invalid')
    expect(message).toContain('Use sslmode=verify-full')
  },
)

test('another machine is reached with its certificate checked, a socket and this machine without one', () => {
  const ssl = (url: string) => clientConfig(at(url)).ssl
  expect(ssl('postgresql://db.example.com/board')).toEqual({ rejectUnauthorized: true })
  expect(ssl('postgresql://localhost/board')).toBe(false)
  expect(ssl('postgresql:///board?host=/run/postgresql')).toBe(false)
  expect(ssl('postgresql:///board?host=db.example.com')).toEqual({ rejectUnauthorized: true })
})

test.each(['mysql://localhost/board', 'not an address'])('%s is refused as an address', async (url) => {
  const { code, message } = await refusedAt(url)
  expect(code).toBe('config_invalid')
  expect(message).toContain('postgresql://user@host/database')
})

test('an address is shown without its options', () => {
  expect(shown(at('postgresql://ada@db.example.com:5433/board?sslkey=/secret'))).toBe(
    'postgresql://ada@db.example.com:5433/board (board)',
  )
})

test('a port that is an option counts before that of the address, as a host does', () => {
  const url = 'postgresql://ada@localhost:5433/board?port=5434'
  expect(clientConfig(at(url)).port).toBe(5434)
  expect(shown(at(url))).toBe('postgresql://ada@localhost:5434/board (board)')
  expect(clientConfig(at('postgresql://localhost:5433/board')).port).toBe(5433)
})

test.each([
  ['postgresql://db.example.com/board?user=anna', /option 'user'.*Write the user before the host/],
  ['postgresql://ada@db.example.com/board?options=-csearch_path%3Dx', /option 'options'.*the options are host, port/],
  ['postgresql://ada@localhost/board?target_session_attrs=primary', /option 'target_session_attrs'/],
  ['postgresql://ada@one,two/board', /names several hosts/],
  ['postgresql:///board?host=one,two', /names several hosts/],
])('an address is refused with what would have no effect: %s', async (url, sentence) => {
  const { code, message } = await refusedAt(url)
  expect(code).toBe('config_invalid')
  expect(message).toMatch(sentence)
})
