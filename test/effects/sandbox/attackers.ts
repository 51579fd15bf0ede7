import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { commit, openSwarm, read, until } from '../swarm.ts'
import type { Aims } from './attacks.ts'

// A repository with everything that the attacks aim at, and agents that carry them out.

/** A file of the person's in its home and in the temporary folder. */
const secrets = (): { home: string; temporary: string } => {
  const home = homedir()
  mkdirSync(join(home, '.ssh'), { recursive: true })
  writeFileSync(join(home, '.ssh', 'id'), 'person')
  writeFileSync(join(home, 'token'), 'person')
  writeFileSync(join(home, '.pgpass'), '127.0.0.1:5432:aiswarm:person:word\n', { mode: 0o600 })
  const folder = mkdtempSync('/tmp/aiswarm-person-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'note'), 'person\n')
  return { home, temporary: join(folder, 'note') }
}

export const openAttacked = async (config = '') => {
  const swarm = await openSwarm({ config: `session: {maxParallel: 3}\n${config}` })
  const [folder, other] = [await swarm.build('auth'), await swarm.build('other')]
  commit(folder, { 'a.txt': 'a' }, 'A')
  const person = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void person.kill('SIGKILL'))
  await swarm.task({ command: 'touch ready; sleep 600', targetWorktree: 'other' })
  const neighbour = await swarm.begin()
  await until('the other agent', () => existsSync(join(other, 'ready')))
  const { core, root } = swarm
  const token = core.launchToken(neighbour.agentId, neighbour.run)
  const aims: Aims = { root, folder, other, ...secrets(), pid: person.pid!, agent: neighbour.agentId, token }
  return { swarm, aims, person }
}

/** How an attack ended. */
export interface Result {
  readonly line: string
  readonly code: number | 'not run'
  /** The line of its output that names a reason, else the last one. */
  readonly words: string
}

/** A shell script that runs each line, and says its number, its exit code and what it said. */
export const scriptOf = (lines: readonly string[]): string =>
  lines
    .map(
      (line, at) => `words=$( ( ${line} ) 2>&1 < /dev/null ); echo "#${at} $? $(echo "$words" | tr '\\n\\0' '\\a ')"`,
    )
    .join('\n')

export const resultsIn = (said: string, lines: readonly string[]): readonly Result[] =>
  lines.map((line, at) => {
    const [, code, words = ''] = new RegExp(`^#${at} (\\d+) ?(.*)$`, 'm').exec(said) ?? []
    const spoken = words.split('\u0007').filter((one) => one.trim() !== '')
    return {
      line,
      code: code === undefined ? 'not run' : Number(code),
      words: (spoken.find((one) => reasonIn(one) !== undefined) ?? spoken.at(-1) ?? '').trim(),
    }
  })

/** Runs the lines as one agent, in a shell as the last one left it. */
export const runAttacks = async (
  { swarm, aims }: Pick<Awaited<ReturnType<typeof openAttacked>>, 'swarm' | 'aims'>,
  lines: readonly string[],
): Promise<readonly Result[]> => {
  writeFileSync(join(aims.folder, 'attack.sh'), scriptOf(lines))
  const task = await swarm.carryOut('sh attack.sh; true', { targetWorktree: 'auth' })
  return resultsIn(read(outputPath(swarm.root, task.attempts.at(-1)!.agentId)), lines)
}

/** Reasons with which the kernel, or aiswarm, refuses. An attack that ends with another one has not been tried. */
const reasons: readonly RegExp[] = [
  /Read-only file system/,
  /No such file or directory|Directory nonexistent|No such device or address/,
  /No such process/,
  /Operation not permitted|Permission denied|must be (superuser|root)|no mount point specified/i,
  /Device or resource busy/,
  /Invalid cross-device link/,
  /Function not implemented/,
  /No space left on device/,
  /No medium found/,
  /ECONNREFUSED|ENETUNREACH|EAI_AGAIN|ENOTFOUND|no proxy/,
  /is not for an agent in a sandbox|An agent in a sandbox works|There is no file/,
  /is not valid, or its run has ended/,
  /cannot be written \(EROFS\)/,
  /cannot be reached from this sandbox/,
  /the sandbox refuses connections|has the address|Proxy response \(403\)/,
  /aiswarm: not found/,
  // A worktree whose git cannot be seen.
  /is not a working tree|not a git repository/,
  // A git remote that cannot be seen, or asks for a login.
  /repository exists\.$|repository '.*' does not exist|terminal prompts disabled/,
]

/** Which reason a sentence names; undefined for none. An attack that finds nothing says nothing. */
export const reasonIn = (words: string): string | undefined =>
  words === '' ? 'nothing' : reasons.find((reason) => reason.test(words))?.source

/** Attacks that succeeded, were not run, or failed without a refusal, such as for a missing program. */
export const notRefused = (results: readonly Result[]): readonly Result[] =>
  results.filter(
    ({ code, words }) =>
      code === 0 ||
      code === 'not run' ||
      (code === 127 && !words.endsWith('aiswarm: not found')) ||
      reasonIn(words) === undefined,
  )
