/** Where a board is on PostgreSQL. */
export interface StoreAddress {
  /** `postgresql://user@host:port/database?…`, without a password. */
  readonly url: string
  /** The schema of the repository: each has its own. */
  readonly schema: string
  /** Asks for the password at each connection; without it libpq's places count (PGPASSWORD, pgpass). */
  readonly password?: (() => Promise<string>) | undefined
}
