// The server's own words for the end of a connection and for what it lacks, as sentences of aiswarm.

/** The code of a transaction that took longer than the server allows. */
export const TOO_LONG = '25P04'

/** The server lacks something for the statement; another one may succeed. */
export const exhausted = (place: string, code: string, said: string): string => {
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
export const endOf = (code: string): End => ends[code] ?? SILENT
