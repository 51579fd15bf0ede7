// Where a board is stored, and how it is copied from one store to another.

/** Where a board is on PostgreSQL. */
export interface StoreAddress {
  /** `postgresql://user@host:port/database?…`, without a password. */
  readonly url: string
  /** The schema of the repository: each has its own. */
  readonly schema: string
  /** Asks for the password at each connection; without it libpq's places count (PGPASSWORD, pgpass). */
  readonly password?: (() => Promise<string>) | undefined
}

/** Asks a person for the password of a login, such as `anna at db.example.net`; an empty answer is none. */
export type AskPassword = (login: string) => Promise<string>

/** The way a board is copied. */
export interface CopyRequest {
  /** The address of PostgreSQL. */
  readonly url: string
  /** `to` that server, or `from` it into the database file. */
  readonly direction: 'to' | 'from'
  readonly passwordCommand?: string | undefined
  readonly askPassword?: AskPassword | undefined
  /** Waits until nothing works on the board instead of refusing, and says for what. */
  readonly patience?: { readonly waits: (what: string) => void; readonly signal: AbortSignal | undefined } | undefined
}

/** A server of PostgreSQL that a person names for the board of a repository. */
export interface NamedServer {
  readonly url: string
  readonly passwordCommand?: string | undefined
}

/** A board that was copied, with the rows of each table. */
export interface BoardCopied {
  readonly from: string
  readonly to: string
  /** The new path of a database file that was there before. */
  readonly kept: string | null
  readonly tables: readonly { readonly table: string; readonly rows: number }[]
}
