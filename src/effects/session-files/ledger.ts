import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Reading } from '../../agents/reading/reading.ts'
import { readLines } from '../processes/output.ts'

/** The part of its end that is read (bytes). */
const TAIL = 256 * 1024

/** The latest content of a CLI's own session file (AgentKind.ledger); empty if the file is missing or unchanged. */
export class SessionLedger {
  #seen = ''

  async read(
    ledger: NonNullable<AgentKind['ledger']>,
    session: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): Promise<readonly Reading[]> {
    const newest = await newestOf((await Promise.all(ledger.paths(session, environment).map(filesLike))).flat())
    if (newest === undefined || newest.stamp === this.#seen) return []
    this.#seen = newest.stamp
    const { lines } = await readLines(newest.path, { tail: TAIL })
    for (const line of [...lines].reverse()) {
      const said = ledger.read(line)
      if (said.length > 0) return said
    }
    return []
  }
}

/** Files whose path matches; `*` matches anything in one name. */
const filesLike = async (pattern: string): Promise<readonly string[]> => {
  let found: readonly string[] = ['']
  for (const part of pattern.split(sep)) {
    found = part.includes('*')
      ? (await Promise.all(found.map((folder) => namesLike(folder, part)))).flat()
      : found.map((folder) => (folder === '' ? `${part}${sep}` : join(folder, part)))
  }
  return found
}

const namesLike = async (folder: string, pattern: string): Promise<readonly string[]> => {
  const name = new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`)
  return (await readdir(folder).catch(() => [])).filter((one) => name.test(one)).map((one) => join(folder, one))
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const newestOf = async (
  paths: readonly string[],
): Promise<{ readonly path: string; readonly stamp: string } | undefined> => {
  const files = await Promise.all(paths.map(async (path) => ({ path, at: await stat(path).catch(() => undefined) })))
  const [newest] = files.filter(({ at }) => at?.isFile()).sort((one, other) => other.at!.mtimeMs - one.at!.mtimeMs)
  return newest && { path: newest.path, stamp: `${newest.path} ${newest.at!.size} ${newest.at!.mtimeMs}` }
}
