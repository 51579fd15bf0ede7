import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StoreAddress } from '../../contracts/board-store.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { aiswarmFolder, runFolder, storePath } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'
import { git } from '../git/git.ts'
import { cutWords, outputOf } from '../processes/process.ts'

// Which store a repository has: PostgreSQL where `.aiswarm/store.yaml` or AISWARM_STORE names one, the database file
// otherwise.

/** The variable that counts before the file, for containers and CI. */
export const STORE_VARIABLE = 'AISWARM_STORE'

/** The address of the repository's board on PostgreSQL; undefined if its board is the database file. */
export const storeAddress = async (root: string, environment: NodeJS.ProcessEnv): Promise<StoreAddress | undefined> => {
  const named = environment[STORE_VARIABLE]
  if (named) return addressFrom(root, { url: named })
  if (!existsSync(storePath(root))) return undefined
  await refuseForeign(root)
  return readStoreFile(root)
}

/** The content of `.aiswarm/store.yaml`. */
interface NamedStore {
  readonly url: string
  readonly schema: string
  readonly passwordCommand?: string | undefined
}

/** Names the store of a repository from now on; without one the database file is it again. */
export const writeStoreFile = async (root: string, named: NamedStore | undefined): Promise<void> => {
  if (named === undefined) return rmSync(storePath(root), { force: true })
  ;(await draftStoreFile(root, named))()
}

/** Prepares the file that names the store. Returns the function that puts it in place, in one step. */
export const draftStoreFile = async (root: string, named: NamedStore): Promise<() => void> => {
  const path = storePath(root)
  const { stringify } = await import('yaml')
  const { url, schema, passwordCommand } = named
  const text = `# The board of this checkout is on PostgreSQL; 'aiswarm db copy --from' brings it back.\n${stringify({ store: url, schema, ...(passwordCommand === undefined ? {} : { passwordCommand }) })}`
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  return () => renameSync(draft, path)
}

/** The address of a repository's board on a server that a person names. */
export const addressFrom = async (
  root: string,
  { url, schema, passwordCommand }: Omit<NamedStore, 'schema'> & { readonly schema?: string | undefined },
): Promise<StoreAddress> => ({
  url,
  schema: schema ?? schemaIn(url) ?? (await schemaOf(root)),
  ...(passwordCommand === undefined ? {} : { password: keptFor(KEPT, () => passwordFrom(passwordCommand, root)) }),
})

/** The schema of a repository: its folder's name and the beginning of its first commit. */
const schemaOf = async (root: string): Promise<string> => {
  // There its oldest commit is another one each time, and so would be the board.
  if (await isShallow(root))
    throw new Refusal(
      'config_invalid',
      "This clone is shallow, so the first commit, by which the board's schema is named, is not in it. Name the schema with ?schema=NAME in the address of the store, or run 'git fetch --unshallow'.",
    )
  const first = await git(root, ['rev-list', '--max-parents=0', 'HEAD']).catch(() => '')
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 40)
  return `aiswarm_${name}_${first.trim().split('\n').at(-1)!.slice(0, 6) || 'new'}`
}

/** True if the repository lacks its oldest commits, as in most clones of CI systems. */
export const isShallow = async (root: string): Promise<boolean> =>
  (await git(root, ['rev-parse', '--is-shallow-repository']).catch(() => '')).trim() === 'true'

/** The schema that an address itself names, for several boards of one repository. */
const schemaIn = (url: string): string | undefined => {
  try {
    return new URL(url).searchParams.get('schema') ?? undefined
  } catch {
    return undefined
  }
}

const readStoreFile = async (root: string): Promise<StoreAddress> => {
  const path = storePath(root)
  const wrong = (what: string, cause?: unknown): Refusal =>
    new Refusal('config_invalid', `${path} ${what}. Write 'store: postgresql://user@host/database' into it.`, { cause })
  const { parse } = await import('yaml')
  try {
    const held: unknown = parse(readFileSync(path, 'utf8'))
    if (held === null || typeof held !== 'object') throw wrong('names no store')
    const { store, schema, passwordCommand, ...others } = held as Record<string, unknown>
    const unknown = Object.keys(others)[0]
    if (unknown !== undefined) throw wrong(`has a key '${unknown}', which aiswarm does not know`)
    if (typeof store !== 'string') throw wrong('names no store')
    if (schema !== undefined && typeof schema !== 'string') throw wrong('has a schema that is no text')
    if (passwordCommand !== undefined && typeof passwordCommand !== 'string')
      throw wrong('has a passwordCommand that is no text')
    return await addressFrom(root, { url: store, schema, passwordCommand })
  } catch (error) {
    if (isRefusal(error)) throw error
    throw wrong('cannot be read', error)
  }
}

/** How long a password is used again (ms): a command may take long, and may give one that is valid for minutes only. */
const KEPT = 60_000

/** The answer of the last `ms` milliseconds, for all that ask meanwhile; one that failed is asked again. */
const keptFor = <T>(ms: number, ask: () => Promise<T>): (() => Promise<T>) => {
  let kept: { readonly until: number; readonly answer: Promise<T> } | undefined
  return () => {
    if (kept !== undefined && performance.now() < kept.until) return kept.answer
    const now = { until: performance.now() + ms, answer: ask() }
    kept = now
    now.answer.catch(() => {
      if (kept === now) kept = undefined
    })
    return now.answer
  }
}

/** How long a passwordCommand may take (ms). */
const PATIENCE = 30_000

/** The output of a person's own command, without the end of its line. */
const passwordFrom = async (command: string, root: string): Promise<string> => {
  const { exitCode, output, cut } = await outputOf('/bin/sh', ['-c', command], { cwd: root, timeout: PATIENCE })
  if (exitCode === 0 && cut === null) return output
  const name = `The passwordCommand of ${storePath(root)}`
  const why = cut === null ? `${name} failed` : cutWords(name, cut, PATIENCE)
  throw new Refusal('store_unreachable', `${why}. Run it by hand to see why, then try again.`)
}

/** A file that came with the repository could send the board to a stranger, or run a stranger's command. */
const refuseForeign = async (root: string): Promise<void> => {
  const path = storePath(root)
  const { mode, uid } = statSync(path)
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new Refusal('config_invalid', `${path} belongs to another user, so it is not used. Remove it, or own it.`)
  if ((mode & 0o022) !== 0)
    throw new Refusal(
      'config_invalid',
      `${path} can be written by other users, so it is not used. Run 'chmod 600 ${path}'.`,
    )
  if ((await git(root, ['ls-files', '--', path])) !== '')
    throw new Refusal(
      'config_invalid',
      `${path} is committed, and a repository must not decide where its users' boards are. Run 'git rm --cached .aiswarm/store.yaml', and set AISWARM_STORE where it must be shared.`,
    )
}

// A clone remembers the board on a server that it has used. If it is missing later, the server is being restored or is
// another one, and an empty board there would pass for the former.

const usedPath = (root: string): string => join(runFolder(root), 'board')

/** True if the last board on a server that this clone had open is that of the schema. */
export const hasUsed = (root: string, schema: string): boolean =>
  existsSync(usedPath(root)) && readFileSync(usedPath(root), 'utf8').trim() === schema

export const rememberUsed = (root: string, schema: string): void => {
  // Maintenance opens a board without making the folder of aiswarm.
  if (hasUsed(root, schema) || !existsSync(aiswarmFolder(root))) return
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  replaceFile(usedPath(root), `${schema}\n`)
}
