import { randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { z } from 'zod'
import { person } from '../../domain/agent/actor.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { shellLine } from '../../domain/words/shell-words.ts'
import { instant, milliseconds } from '../../domain/words/time.ts'
import { leaveUntouched } from '../../operations/database/copy.ts'
import type { HostView } from '../../operations/hosts/list.ts'
import { joinHost } from '../../operations/hosts/membership.ts'
import { perform } from '../../operations/perform/perform.ts'
import { whyNoSocket } from '../doorway/worker.ts'
import { databasePath, movedPath, storePath } from '../files/paths.ts'
import { git } from '../git/git.ts'
import { machineHere, rememberedHost, rememberHost } from '../hosts/own-host.ts'
import { userHere } from '../processes/identity.ts'
import { ensureFolder } from '../starting/initialise.ts'
import { isShallow, storeAddress, writeStoreFile } from '../starting/store-address.ts'
import type { World } from '../world.ts'
import { refuseBelowAgent } from './ancestry.ts'
import { whyUnconfined } from './diagnosis.ts'

// A code is one pasted line: where the board is, which repository it is for, and a secret that lets one host join.

const PREFIX = 'aiswarm-join:1:'

const content = z.object({
  url: z.string(),
  schema: z.string(),
  first: z.string(),
  secret: z.string(),
  /** The SHA-256 of the certificate of the authority that the address names, if the board's server has one of its own. */
  authority: z.string().optional(),
})

/** The first commit of the repository, which every clone of it has. */
const firstCommit = async (root: string): Promise<string> => {
  if (await isShallow(root))
    throw new Refusal(
      'invalid_state',
      "This clone is shallow, so the first commit, by which hosts know their repository, is not in it. Run 'git fetch --unshallow', then try again.",
    )
  return (await git(root, ['rev-list', '--max-parents=0', 'HEAD'])).trim().split('\n').at(-1)!
}

/** The line that a person pastes on the joining host. Refuses while the board is in a database file. */
export const joinLine = async (root: string, secret: string): Promise<string> => {
  const address = await storeAddress(root, process.env)
  if (address === undefined)
    throw new Refusal(
      'invalid_state',
      "The board is in a database file, which has one host. Run 'aiswarm fleet init --database postgresql://user@host/database' first.",
    )
  const { url, schema } = address
  const authority = authorityOf(url)
  const line = JSON.stringify({
    ...{ url, schema, first: await firstCommit(root), secret },
    ...(authority === undefined ? {} : { authority }),
  })
  return `${PREFIX}${Buffer.from(line).toString('base64url')}`
}

/** The address of the board that a line names. */
export const addressIn = (line: string): string => read(line).url

interface Joining {
  readonly line: string
  readonly passwordCommand?: string | undefined
  /** Opens the repository, whose board the file in it then names. */
  readonly open: () => Promise<World>
  /** Opens the database file at a path. */
  readonly openFile: (path: string) => Promise<World['core']['store']>
}

/** A host that has just joined, as it found its machine. */
interface Joined extends HostView {
  /** The agent kinds that are installed. */
  readonly kinds: string[]
  /** How far its clock is ahead of the server's (ms). */
  readonly clockAhead: number
  /** Why its agents could not reach a worker; null if they can. */
  readonly socketProblem: string | null
  /** The user as which its agents run. */
  readonly agentsAs: string
  /** Why its agents are not confined; null if they are. */
  readonly unconfined: string | null
}

/** Makes this checkout a host of the board that the line names. If that is refused, the checkout is as it was. */
export const joinFleet = async (root: string, { line, passwordCommand, open, openFile }: Joining): Promise<Joined> => {
  refuseBelowAgent(root, 'join a board')
  const { url, schema, first, secret, authority } = read(line)
  if ((await firstCommit(root)) !== first)
    throw new Refusal(
      'invalid_state',
      'This checkout is of another repository than the board: they begin with different commits. Clone the repository of the board, and join there.',
    )
  refuseOtherAuthority(url, authority)
  ensureFolder(root)
  const former = await formerHost(root, open)
  if (former === undefined && existsSync(storePath(root)) && rememberedHost(root) !== undefined)
    throw new Refusal(
      'already_exists',
      "This clone is a host of a board already, so the code was not used. Start 'aiswarm worker' here, or join with another clone.",
    )
  if (former === undefined && existsSync(storePath(root)))
    throw new Refusal(
      'already_exists',
      `This checkout has a board already, which ${storePath(root)} names. Use another clone, or remove that file.`,
    )
  const join = (): Promise<OnBoard> => joinBoard(root, { ...{ url, schema, secret, former, passwordCommand, open } })
  // A file that was left for a server has nothing that is not there.
  if (!existsSync(databasePath(root)) || (former !== undefined && existsSync(movedPath(root))))
    return (await join()).joined
  return leaveFile(root, openFile, join)
}

/** A host that has joined, and the place of its board. */
interface OnBoard {
  readonly joined: Joined
  readonly at: string
}

/** Joins a board from a checkout with a database file, in which only the first command there may have written. */
const leaveFile = async (
  root: string,
  openFile: Joining['openFile'],
  join: () => Promise<OnBoard>,
): Promise<Joined> => {
  const path = databasePath(root)
  const own = `This checkout has a board of its own, in ${path}`
  const away = `Use another clone, or end what uses that file and move it away: ${shellLine(['mv', path, `${path}.former`])}`
  if (existsSync(movedPath(root))) throw new Refusal('already_exists', `${own}, which was moved to a server. ${away}`)
  const file = await openFile(path)
  try {
    const left = await leaveUntouched(file, instant(Date.now()), join)
    if (left !== undefined) return left.joined
    throw new Refusal('already_exists', `${own}, with something on it. ${away}`)
  } finally {
    file.close()
  }
}

const joinBoard = async (
  root: string,
  {
    url,
    schema,
    secret,
    former,
    passwordCommand,
    open,
  }: Pick<z.output<typeof content>, 'url' | 'schema' | 'secret'> &
    Pick<Joining, 'passwordCommand' | 'open'> & { readonly former: string | undefined },
): Promise<OnBoard> => {
  const before = existsSync(storePath(root)) ? readFileSync(storePath(root)) : undefined
  await writeStoreFile(root, { url, schema, passwordCommand })
  // Its former place on the board is gone: the code gives it a new one.
  rememberHost(root, undefined)
  try {
    const world = await open()
    try {
      const host = await perform(
        world.core,
        joinHost,
        { secret, hostId: newHostId(), name: hostname(), machine: machineHere(), root },
        person,
      )
      rememberHost(root, host.id)
      return { joined: { ...host, ...(await factsOf(world)) }, at: world.core.store.path }
    } finally {
      world.core.store.close()
    }
  } catch (error) {
    if (before === undefined) await writeStoreFile(root, undefined)
    else writeFileSync(storePath(root), before, { mode: 0o600 })
    if (former !== undefined) rememberHost(root, former)
    throw error
  }
}

const factsOf = async ({
  core,
}: World): Promise<Pick<Joined, 'kinds' | 'clockAhead' | 'socketProblem' | 'agentsAs' | 'unconfined'>> => ({
  kinds: core.kinds.filter((kind) => core.missingProgram?.(kind) === undefined),
  // A write has just set the clock of the board by the server's.
  clockAhead: Date.now() - milliseconds(core.clock()),
  socketProblem: (await whyNoSocket(core.root)) ?? null,
  agentsAs: userHere(),
  unconfined: (await whyUnconfined(core.settings.sandbox)) ?? null,
})

/** The host that this clone was until it was forgotten; undefined if it was none, or still is one. */
const formerHost = async (root: string, open: Joining['open']): Promise<string | undefined> => {
  const former = rememberedHost(root)
  if (former === undefined || !existsSync(storePath(root))) return undefined
  try {
    ;(await open()).core.store.close()
    return undefined
  } catch (error) {
    if (!isRefusal(error) || (error.code !== 'host_forgotten' && error.code !== 'host_unknown')) throw error
    return former
  }
}

const read = (line: string): z.output<typeof content> => {
  try {
    const text = line.trim()
    if (!text.startsWith(PREFIX)) throw new Refusal('invalid_input', 'no code')
    return content.parse(JSON.parse(Buffer.from(text.slice(PREFIX.length), 'base64url').toString('utf8')))
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error
    throw new Refusal(
      'invalid_input',
      "This is no code of 'aiswarm fleet join-code'. Paste the whole line, beginning with aiswarm-join.",
      { cause: error },
    )
  }
}

const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

const newHostId = (): string => [...randomBytes(8)].map((byte) => letters[byte % letters.length]).join('')

// A server with a certificate of the person's own authority: each host has the authority's in a file, at the path that the
// address names. The code to join says which one it is.

/** The file of the authority's certificate that an address names. */
const fileIn = (url: string): string | undefined => URL.parse(url)?.searchParams.get('sslrootcert') ?? undefined

/** The SHA-256 of the authority's certificate; undefined if the address names none. */
export const authorityOf = (url: string): string | undefined => {
  const file = fileIn(url)
  return file === undefined || file === 'system' ? undefined : fingerprintOf(file)
}

/** Refuses a certificate that is missing here, or another one than that of the board's host, before a connection is made. */
export const refuseOtherAuthority = (url: string, expected: string | undefined): void => {
  if (expected === undefined) return
  const file = fileIn(url)!
  const found = fingerprintOf(file)
  if (found === expected) return
  throw new Refusal(
    'invalid_state',
    found === undefined
      ? `The board's server has a certificate of its own authority, whose certificate is expected in ${file}. Copy that file from the host that made the code; its SHA-256 is ${expected}.`
      : `${file} is another certificate than that of the board's authority, whose SHA-256 is ${expected}; this one has ${found}. Copy the file from the host that made the code.`,
  )
}

const fingerprintOf = (file: string): string | undefined => {
  try {
    return new X509Certificate(readFileSync(file)).fingerprint256
  } catch {
    return undefined
  }
}
