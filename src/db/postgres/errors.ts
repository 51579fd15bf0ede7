import { isRefusal, Refusal, StoreRefusal } from '../../domain/rules/refusal.ts'

/** True if the server asked for a password, and none was found. */
export const isPasswordMissing = (error: unknown): boolean =>
  isRefusal(error) && error.cause instanceof Error && WITHOUT_PASSWORD.test(error.cause.message)

const WITHOUT_PASSWORD = /password must be a string/i

/** True if the whole transaction may be run again: it met another one, and nothing of it remains. */
export const isConflict = (error: unknown): boolean => /^(?:40001|40P01)$/.test(codeOf(error) ?? '')

/** The SQLSTATE of an error of the server, the code of a failed connection, or undefined for an error of another kind. */
const codeOf = (error: unknown): string | undefined => {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** True if a statement was prepared before the board got other columns; another connection has not prepared it. */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' && error instanceof Error && error.message.includes('cached plan')

/** True if no transaction has the number that was asked for: it was lost in a crash, and nothing of it remains. */
export const isNumberOfFuture = (error: unknown): boolean =>
  codeOf(error) === '22023' && error instanceof Error && error.message.includes('is in the future')

/** True if another writer held the board for longer than this one could wait. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

/** True if the connection is lost; what it was doing is undone, except a commit whose answer did not arrive. */
export const isConnectionLost = (error: unknown): boolean =>
  LOST.test(codeOf(error) ?? '') ||
  isUnconnected(error) ||
  (error instanceof Error &&
    /^(?:Connection terminated|timeout e|Client has encountered a connection error)/.test(error.message))

/** The server's own words for an ended connection, the error numbers of a network, and names that could not be looked up. */
const LOST =
  /^(?:08...|57P0[1-5]|25P0[34]|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOST(?:UNREACH|DOWN)|ENET(?:UNREACH|DOWN|RESET)|EADDRNOTAVAIL|ENOTCONN|ENOTFOUND|EAI_[A-Z]+)$/

/** The system could not make a connection: a missing socket has the same error number as a missing file. */
const isUnconnected = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')

/**
 * True if the connection was ended while the server is there: it waited too long for this program, which was stopped or
 * slept, or an administrator ended it. The system says the same of a connection that has ended unheard.
 */
export const isEnded = (error: unknown): boolean => /^(?:57P0[15]|25P03|ECONNRESET|EPIPE)$/.test(codeOf(error) ?? '')

/**
 * Converts an error of the server to a refusal that says what to do. An error that only a bug can cause (a constraint,
 * an invalid statement) is returned unchanged. `place` is the address without secrets.
 */
export const explain = (error: unknown, place: string): unknown => {
  if (error instanceof Refusal) return error
  const code = codeOf(error) ?? ''
  const said = error instanceof Error ? error.message : String(error)
  const refuse = (refusal: ConstructorParameters<typeof Refusal>[0], sentence: string): Refusal =>
    new StoreRefusal(refusal, sentence, { cause: error })
  if (/^28/.test(code) || /password must be a string|no password/i.test(said))
    return refuse(
      'not_allowed',
      `PostgreSQL at ${place} refused the login (${WITHOUT_PASSWORD.test(said) ? 'it asks for a password, and there is none' : said}). Check the user, and the password in ~/.pgpass (or PGPASSFILE), PGPASSWORD or passwordCommand. A line of the file is HOST:PORT:DATABASE:USER:PASSWORD.`,
    )
  if (code === '3D000')
    return refuse('not_found', `${said} at ${place}. Create it with 'createdb', or correct the store's address.`)
  if (isWithoutRight(error))
    return refuse(
      'not_allowed',
      `PostgreSQL at ${place} does not allow it (${said}). Ask the owner of the database for the right.`,
    )
  if (code === '22021') return notStorable(error)
  if (code === '25006')
    return refuse(
      'store_read_only',
      `PostgreSQL at ${place} takes no writes: it is a replica, or was made read-only. Name its primary in the store's address.`,
    )
  if (code === '53300' || /remaining connection slots|too many clients|no more connections allowed/.test(said))
    return refuse(
      'store_unreachable',
      `PostgreSQL at ${place} has no free connection (${said}). End other programs, or raise the limit: max_connections, or CONNECTION LIMIT of the role or the database. Then try again.`,
    )
  if (/^53/.test(code)) return refuse('disk_failed', exhausted(place, code, said))
  if (code === '57014' || isConflict(error))
    return refuse('database_busy', `PostgreSQL at ${place} ended the statement (${said}). Try again.`)
  if (/^XX00[12]$/.test(code))
    return refuse(
      'database_corrupt',
      `PostgreSQL at ${place} reports damaged data (${said}). Stop writing, and restore a backup.`,
    )
  const unencrypted = whyNotEncrypted(place, code, said)
  if (unencrypted !== undefined) return refuse('store_unreachable', unencrypted)
  if (isWithoutTables(error)) return refuse('store_unreachable', tablesMissing(place, said))
  if (isStalePlan(error)) return refuse('database_busy', `The board at ${place} was just migrated. Try again.`)
  if (code === '57P04')
    return refuse(
      'not_found',
      `The database of the board at ${place} was removed (${said}). Restore it from a backup, or correct the store's address.`,
    )
  if (isConnectionLost(error)) return unreachable(place, error)
  return error
}

/** Why no encrypted connection could begin; undefined for an error of another kind. */
const whyNotEncrypted = (place: string, code: string, said: string): string | undefined => {
  if (said.includes('does not support SSL'))
    return `PostgreSQL at ${place} does not offer encryption, without which another machine could pass for it. Switch on ssl on the server, with a certificate for its name.`
  if (isNotSpoken(code, said))
    return `No encrypted connection could begin at ${place} (${said}): another program than PostgreSQL may have this port. Check host and port in the store's address, and the log of the server.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of PostgreSQL at ${place} was not accepted (${said}). Write a name of the certificate into the store's address, or give the server a certificate for this one.`
  if (/certificate|self.signed|SSL|ERR_TLS/i.test(`${code} ${said}`))
    return `The certificate of PostgreSQL at ${place} was not accepted (${said.replace(ADVICE, '')}). Renew it, or name its authority with sslrootcert=FILE in the store's address.`
  return undefined
}

/** The advice of Node.js, which a person cannot follow here. */
const ADVICE = /; if the root CA .*$/

/** True if what answered the request for encryption was no answer to it: the library's sentence, or bytes that are no TLS. */
const isNotSpoken = (code: string, said: string): boolean =>
  said.includes('error establishing an SSL') || code === 'ERR_SSL_WRONG_VERSION_NUMBER'

const notStorable = (cause: unknown): Refusal =>
  new Refusal(
    'invalid_input',
    'A text has a NUL character or is no UTF-8, which PostgreSQL cannot store; nothing was written. Remove the character.',
    { cause },
  )

/** True if the login lacks a right. */
export const isWithoutRight = (error: unknown): boolean => codeOf(error) === '42501'

/** True if tables or functions of the board are missing, or the login may not see them, as in the middle of a restore. */
export const isWithoutTables = (error: unknown): boolean => {
  const code = codeOf(error)
  return (
    code === '42P01' ||
    code === '3F000' ||
    (code === '42883' && error instanceof Error && error.message.includes('open_write'))
  )
}

const tablesMissing = (place: string, said: string): string =>
  `The tables of the board at ${place} cannot be seen now (${said}): the server is being restored, or the login has lost its rights. Nothing was written; 'aiswarm doctor' says which it is.`

/** A clone that has used the board must not make an empty one, which would pass for it and be in the way of a restore. */
export const noBoard = (place: string): Refusal =>
  new StoreRefusal(
    'store_unreachable',
    `PostgreSQL at ${place} has no board: it is being restored, or the address names another server or schema. Nothing was made there; wait until it is restored, or correct the address.`,
  )

/** The pool of this process had no connection free for too long. */
const isCrowded = (error: unknown): boolean => error instanceof Error && error.message.startsWith('timeout exceeded')

const unreachable = (place: string, cause?: unknown): Refusal => {
  if (isCrowded(cause))
    return new StoreRefusal(
      'store_unreachable',
      `All connections of this program to PostgreSQL at ${place} were in use for ten seconds: their statements take long, or the server does not answer. Nothing was written; try again.`,
      { cause },
    )
  const code = codeOf(cause) ?? ''
  const said = cause instanceof Error ? cause.message || (code === '' ? NO_REASON : code) : NO_REASON
  const { is, then } = endOf(code)
  return new StoreRefusal(
    'store_unreachable',
    `PostgreSQL at ${place} ${is} (${said}). Nothing was written; ${then}.`,
    // The first thing that a stopped server says is followed by others.
    { cause, outage: code === TOO_LONG ? undefined : 'away' },
  )
}

const NO_REASON = 'no reason given'

/** The board was copied to another store, which counts since. */
export const movedTo = (place: string, other: string): Refusal =>
  new Refusal(
    'database_moved',
    `The board at ${place} is at ${other} now. Start aiswarm again; if .aiswarm/store.yaml still names this server, correct it first, or remove it if the board is a file of this checkout.`,
  )

export const locked = (place: string, patience: number): Refusal =>
  new Refusal(
    'database_busy',
    `Other writers have kept the board at ${place} for more than ${patience / 1000} s. Try again.`,
  )

/** The answer to a commit did not arrive, and the server could not be asked again. */
export const unknownOutcome = (place: string, cause: unknown): Refusal =>
  new Refusal(
    'store_unreachable',
    `PostgreSQL at ${place} went away while it was committing. Look at the board before you repeat the command: the change may be there.`,
    { cause, retryable: false },
  )

// The server's own words for the end of a connection and for what it lacks, as sentences of aiswarm.

/** The code of a transaction that took longer than the server allows. */
const TOO_LONG = '25P04'

/** The server lacks something for the statement; another one may succeed. */
const exhausted = (place: string, code: string, said: string): string => {
  if (code === '53200')
    return `PostgreSQL at ${place} has too little memory (${said}); nothing was written. End other programs on the server, or raise what it may use (max_locks_per_transaction for its locks), and try again.`
  if (code === '53400')
    return `PostgreSQL at ${place} met a limit of its configuration (${said}); nothing was written. Raise the limit that it names, and try again.`
  return `PostgreSQL at ${place} has no room left (${said}); nothing was written. Make room on the server and try again.`
}

interface End {
  /** The server's act, or its present state. */
  readonly is: string
  /** The next step of a person. */
  readonly then: string
}

const SILENT: End = { is: 'does not answer', then: 'check the server and the network, then try again' }

const CUT: End = {
  is: 'ended the connection, or the network did',
  then: 'try again, and check the server and the network if that does not help',
}

/** Why the server ends a connection or takes none, by its own word; the network has no part in it. */
const ends: Readonly<Record<string, End>> = {
  EPIPE: CUT,
  ECONNRESET: CUT,
  '57P01': {
    is: 'is being stopped, or its administrator ended the connection',
    then: 'try again when it runs',
  },
  '57P02': {
    is: 'restarts, because one of its processes crashed',
    then: 'try again in a moment, and look into its log',
  },
  '57P03': { is: 'takes no connections now', then: 'wait until it has started, then try again' },
  '57P05': {
    is: 'ended the connection, because this program was idle for longer than its idle_session_timeout',
    then: 'try again',
  },
  '25P03': {
    is: 'ended the connection, because this program was stopped in the middle of its work',
    then: 'try again',
  },
  [TOO_LONG]: {
    is: 'ended the connection, because the work took longer than its transaction_timeout',
    then: 'raise that for this login, or try again when the server has less to do',
  },
}

/** Why a connection ended or was refused, by its code. */
const endOf = (code: string): End => ends[code] ?? SILENT
