import { userInfo } from 'node:os'
import type { AskPassword } from '../../contracts/board-store.ts'
import { clientConfig } from './address.ts'
import { isPasswordMissing } from './explain.ts'
import { keepPassword, withTyped } from './password-file.ts'

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
