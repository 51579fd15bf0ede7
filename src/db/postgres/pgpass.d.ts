declare module 'pgpass' {
  /** Looks for the password of a connection in the file that PGPASSFILE names, or ~/.pgpass; undefined if there is none. */
  const pgpass: (
    connection: {
      readonly host: string
      readonly port: number
      readonly user: string
      readonly database: string
    },
    found: (password: string | undefined) => void,
  ) => void
  export default pgpass
}
