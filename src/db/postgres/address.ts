import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { ClientConfig } from 'pg'
import pgpass from 'pgpass'
import type { AskPassword, StoreAddress } from '../../contracts/board-store.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isPasswordMissing } from './errors.ts'

// The address of a board's server: how it is shown, the settings of `pg` for it, and the password.

/** The longest time that a server may take to answer a new connection (ms). */
const CONNECT_PATIENCE = 10_000

/** The address as a person may see it anywhere: it has no password, and options that name files are left out. */
export const shown = ({ url, schema }: StoreAddress): string => {
  const parsed = parse(url)
  const socket = socketOf(parsed)
  const host = socket ?? `${hostOf(parsed)}${portOf(parsed) && `:${portOf(parsed)}`}`
  return `postgresql://${parsed.username ? `${parsed.username}@` : ''}${host}${parsed.pathname} (${schema})`
}

/** Settings of `pg` for an address. Refuses an address with a password, and one without encryption to another machine. */
export const clientConfig = ({ url, password }: StoreAddress): ClientConfig => {
  const parsed = parse(url)
  const socket = socketOf(parsed)
  const database = decodeURIComponent(parsed.pathname.slice(1))
  return {
    // Always named: without a host, PGHOST would decide, and another machine would be reached without encryption.
    host: socket ?? hostOf(parsed).replace(/^\[|\]$/g, ''),
    ...(portOf(parsed) === '' ? {} : { port: Number(portOf(parsed)) }),
    ...(parsed.username ? { user: decodeURIComponent(parsed.username) } : {}),
    ...(database ? { database } : {}),
    ...(password === undefined ? passwordOfFile() : { password }),
    ssl: socket === undefined && (isRemote(parsed) || parsed.searchParams.has('sslmode')) ? encryption(parsed) : false,
    application_name: 'aiswarm',
    connectionTimeoutMillis: CONNECT_PATIENCE,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

/** A password in the environment counts before that in the file. */
const passwordOfFile = (): Pick<ClientConfig, 'password'> =>
  // The types of `pg` leave out that the function gets the address in its parts, and may find nothing.
  process.env['PGPASSWORD'] === undefined ? { password: passwordInFile as unknown as () => Promise<string> } : {}

const parse = (url: string): URL => {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch (error) {
    throw new Refusal(
      'config_invalid',
      `The store is no address of PostgreSQL. Write it as postgresql://user@host/database.`,
      { cause: error },
    )
  }
  if (!/^postgres(?:ql)?:$/.test(parsed.protocol))
    throw new Refusal(
      'config_invalid',
      `The store begins with ${parsed.protocol}//, which aiswarm does not know. Write it as postgresql://user@host/database.`,
    )
  if (parsed.password !== '' || parsed.searchParams.has('password'))
    throw new Refusal(
      'config_invalid',
      'The address of the store contains a password, which other programs could read. Remove it, and put the password into ~/.pgpass, PGPASSFILE or PGPASSWORD, or name a passwordCommand.',
    )
  const stranger = [...parsed.searchParams.keys()].find((name) => !OPTIONS.includes(name))
  if (stranger !== undefined)
    throw new Refusal(
      'config_invalid',
      `The address of the store has the option '${stranger}', which aiswarm does not use. ${stranger === 'user' ? 'Write the user before the host: postgresql://user@host/database.' : `Remove it; the options are ${OPTIONS.join(', ')}.`}`,
    )
  if (hostOf(parsed).includes(','))
    throw new Refusal(
      'config_invalid',
      'The address of the store names several hosts, of which aiswarm would use none. Name one, such as the address that follows the primary.',
    )
  return parsed
}

/** The options that an address may have; another one would have no effect, and the person would not know. */
const OPTIONS: readonly string[] = ['host', 'port', 'schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/** The machine, or the folder of the server's socket; an option counts before the address itself, as for libpq. */
const hostOf = (url: URL): string => (url.searchParams.get('host') ?? decodeURIComponent(url.hostname)) || 'localhost'

/** Empty if none is named. */
const portOf = (url: URL): string => url.searchParams.get('port') ?? url.port

/** The folder of the server's socket, if the address names one. */
const socketOf = (url: URL): string | undefined => {
  const host = hostOf(url)
  return host.startsWith('/') ? host : undefined
}

const isRemote = (url: URL): boolean => !/^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostOf(url))

const encryption = (url: URL): ClientConfig['ssl'] => {
  const mode = url.searchParams.get('sslmode')
  if (mode === 'disable' && !isRemote(url)) return false
  if (mode !== null && mode !== 'verify-full')
    throw new Refusal(
      'config_invalid',
      `The address of the store asks for sslmode=${mode}, with which another machine could pass for ${hostOf(url)}. Use sslmode=verify-full, with sslrootcert=FILE if the server has a certificate of your own authority.`,
    )
  const file = (name: string): string | undefined => {
    const path = url.searchParams.get(name)
    if (path === null) return undefined
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      throw new Refusal('config_invalid', `${name} of the store's address, ${path}, cannot be read.`, { cause: error })
    }
  }
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')]
  return { rejectUnauthorized: true, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

/**
 * Runs work that logs in at an address. If the server wants a password and none is found, a person is asked for it, and the
 * work begins again; the password is kept once the server has accepted it.
 */
export const withPassword = async <Result>(
  url: string,
  ask: AskPassword | undefined,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (ask === undefined || !isPasswordMissing(error)) throw error
    const {
      host = 'localhost',
      port = 5432,
      user = userInfo().username,
      database = user,
    } = clientConfig({ url, schema: '' })
    const password = await ask(`${user} at ${host}`)
    if (password === '') throw error
    const result = await withTyped(password, work)
    keepPassword([host.startsWith('/') ? 'localhost' : host, port, database, user], password)
    return result
  }
}

let warned = ''

/** The password that a person has just typed, until the server has accepted it. */
let typed: string | undefined

// The library speaks to the terminal otherwise, on which a console may be drawn.
pgpass.warnTo(
  new Writable({
    write: (words: Buffer, _, done) => {
      warned = words
        .toString()
        .replace(/^WARNING: /, '')
        .trim()
      done()
    },
  }),
)

/**
 * The password of a connection in the file that PGPASSFILE names, or ~/.pgpass; undefined if there is none. `pg` would look
 * there itself, but warns on the terminal that a coming version does not.
 */
const passwordInFile = (connection: Parameters<typeof pgpass>[0]): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    if (typed !== undefined) return resolve(typed)
    warned = ''
    pgpass(connection, (found) => {
      if (warned === '') resolve(found)
      else
        reject(
          new Refusal(
            'not_allowed',
            `The password is not used: ${warned}. ${/group or world/.test(warned) ? "Run 'chmod 600' on it" : 'Correct that'}, then try again.`,
          ),
        )
    })
  })

/** Runs work that logs in with a password that a person has typed. */
const withTyped = async <Result>(password: string, work: () => Promise<Result>): Promise<Result> => {
  typed = password
  try {
    return await work()
  } finally {
    typed = undefined
  }
}

/** Adds a password to the file that `passwordInFile` reads, so that every program of this user can log in. */
const keepPassword = (parts: readonly (string | number)[], password: string): void => {
  const path = process.env['PGPASSFILE'] || join(homedir(), '.pgpass')
  const isOpenLine = existsSync(path) && /[^\n]$/.test(readFileSync(path, 'utf8'))
  const line = [...parts, password].map((part) => String(part).replace(/[\\:]/g, String.raw`\$&`)).join(':')
  appendFileSync(path, `${isOpenLine ? '\n' : ''}${line}\n`, { mode: 0o600 })
}
