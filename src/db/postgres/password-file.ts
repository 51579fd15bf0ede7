import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pgpass from 'pgpass'
import { Refusal } from '../../domain/rules/refusal.ts'

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
export const passwordInFile = (connection: Parameters<typeof pgpass>[0]): Promise<string | undefined> =>
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
export const withTyped = async <Result>(password: string, work: () => Promise<Result>): Promise<Result> => {
  typed = password
  try {
    return await work()
  } finally {
    typed = undefined
  }
}

/** Adds a password to the file that `passwordInFile` reads, so that every program of this user can log in. */
export const keepPassword = (parts: readonly (string | number)[], password: string): void => {
  const path = process.env['PGPASSFILE'] || join(homedir(), '.pgpass')
  const isOpenLine = existsSync(path) && /[^\n]$/.test(readFileSync(path, 'utf8'))
  const line = [...parts, password].map((part) => String(part).replace(/[\\:]/g, String.raw`\$&`)).join(':')
  appendFileSync(path, `${isOpenLine ? '\n' : ''}${line}\n`, { mode: 0o600 })
}
