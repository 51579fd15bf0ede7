import { Writable } from 'node:stream'
import pgpass from 'pgpass'
import { Refusal } from '../../domain/rules/refusal.ts'

let warned = ''

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
export const passwordInFile = (connection: Parameters<typeof pgpass>[0]): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    warned = ''
    pgpass(connection, (found) => {
      if (warned === '') resolve(found)
      else reject(new Refusal('not_allowed', `The password is not used: ${warned}. Correct that, then try again.`))
    })
  })
