declare module 'pgpass' {
  import type { Writable } from 'node:stream'

  interface Pgpass {
    (
      connection: {
        readonly host: string
        readonly port: number
        readonly user: string
        readonly database: string
      },
      found: (password: string | undefined) => void,
    ): void
    /** Has a stream get what is wrong with the file. */
    warnTo(stream: Writable): void
  }
  const pgpass: Pgpass
  export default pgpass
}
