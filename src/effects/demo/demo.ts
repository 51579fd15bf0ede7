import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../domain/agent/actor.ts'
import { requestIntegration } from '../../operations/integration/request.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { beginSession } from '../../operations/sessions/begin-session.ts'
import { endSession } from '../../operations/sessions/end.ts'
import { importTasks } from '../../operations/tasks/import.ts'
import { createWorktree } from '../../operations/worktrees/create.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { binFolder, logsFolder } from '../files/paths.ts'
import { git } from '../git/git.ts'
import { untilAnswered } from '../hosts/outage.ts'
import { narrated } from '../loops/headless.ts'
import { lastLine } from '../processes/output.ts'
import { runCommand } from '../processes/process.ts'
import { initialise } from '../starting/initialise.ts'
import { STORE_VARIABLE } from '../starting/store-address.ts'
import type { World } from '../world.ts'
import { demoBoard, demoWorktrees } from './board.ts'
import { library } from './library.ts'

/**
 * Creates the demo's temporary repository and returns its path. With `approval: auto` its configuration on main merges
 * verified work without a person, as a run without a terminal requires.
 */
export const makeDemoRepository = async (approval: 'human' | 'auto'): Promise<string> => {
  const root = join(realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-demo-'))), 'shop')
  mkdirSync(root)
  await git(root, ['init', '--quiet', '--initial-branch=main'], { discover: true })
  for (const [path, content] of Object.entries(library)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  await initialise(root)
  writeFileSync(
    join(root, '.aiswarm', 'config.yaml'),
    `integration:\n  verify: node verify.js\n  approval: ${approval}\n`,
  )
  await git(root, ['add', '--all'])
  await git(root, ['commit', '--quiet', '--message', 'Begin a small shop with failing tests'], { environment: author })
  useOwnSchema(process.env)
  return root
}

/** In the console the steps take twice as long, so that a person can read them. */
export const READABLE = 2

/** Creates the demo's worktrees and tasks for a person at the console. */
export const fillDemoBoard = (world: World): Promise<void> => fillBoard(world, READABLE)

export const fillBoard = async (world: World, pace: number): Promise<void> => {
  const { outsideOf } = await import('../opening/outside.ts')
  const connection: Connection = { core: world.core, actor: person, outside: outsideOf(world) }
  await perform(world.core, beginSession, { goal: 'Let users log in, and repair the cart' }, person)
  for (const worktree of demoWorktrees) await act(connection, createWorktree, { ...worktree })
  await perform(world.core, importTasks, demoBoard(pace), person)
}

/** Runs the demo without a terminal: the same run, line by line, with automatic approval. Returns the exit code. */
export const runDemoPiped = async (
  world: World,
  line: (text: string) => void,
  signal: AbortSignal,
): Promise<number> => {
  const { core } = world
  const { root } = core
  line(`A temporary repository at ${root}; its agents are shell commands, no model is called.`)
  line(
    'There is no terminal, so this run approves verified work automatically; in the console a person reviews and approves it.',
  )
  const integrated = await narrated(world, { maxParallel: null, line }, async (supervisor) => {
    signal.addEventListener('abort', () => void supervisor.stop().catch(() => {}))
    await fillBoard(world, 1)
    const rest = await supervisor.untilIdle()
    if (signal.aborted || rest.failed.length > 0 || rest.waiting.length > 0) return false
    for (const { name } of demoWorktrees) {
      const requestId = randomUUID()
      await untilAnswered(
        () => perform(core, requestIntegration, { worktreeName: name }, person, { requestId }),
        signal,
      )
    }
    const done = await untilIntegrated(world, signal)
    const requestId = randomUUID()
    await untilAnswered(() => perform(core, endSession, {}, person, { requestId }), signal)
    return done
  })
  if (!integrated) {
    line(`The demo did not finish as expected; '${openAgain(root)}' shows it.`)
    return 3
  }
  return summarise(world, line)
}

/** Prints the content of main and whether its tests pass. */
export const summarise = async ({ core }: World, line: (text: string) => void): Promise<number> => {
  const { root } = core
  const log = join(logsFolder(root), 'demo-tests.log')
  // Without its files, an older Node finds those of archived worktrees too, in the git folder.
  const { exitCode } = await runCommand('node --test test/*.test.js', { cwd: root, output: log, timeout: 60_000 })
  line('')
  line(`main now contains ${(await git(root, ['rev-list', '--count', 'main'])).trim()} commits:`)
  for (const entry of (await git(root, ['log', '--oneline', '--first-parent', 'main'])).trim().split('\n'))
    line(`  ${entry}`)
  line(
    exitCode === 0
      ? `All tests of main pass (npm test in ${root}).`
      : `The tests of main fail: ${await lastLine(log)}; see ${log}.`,
  )
  return exitCode === 0 ? 0 : 3
}

export const author = {
  GIT_AUTHOR_NAME: 'aiswarm demo',
  GIT_AUTHOR_EMAIL: 'demo@localhost',
  GIT_COMMITTER_NAME: 'aiswarm demo',
  GIT_COMMITTER_EMAIL: 'demo@localhost',
}

export const untilIntegrated = async ({ core, actor }: World, signal: AbortSignal): Promise<boolean> => {
  for (;;) {
    const worktrees = await untilAnswered(() => perform(core, getWorktreeStatus, {}, actor), signal)
    if (worktrees.every((worktree) => worktree.folder === 'gone')) return true
    // An integration in these states waits for a person, who is absent here.
    const stuck = worktrees.find(
      ({ integration }) =>
        integration && ['conflicted', 'unverified', 'rejected', 'ready'].includes(integration.status),
    )
    if (stuck || signal.aborted) return false
    await sleep(100)
  }
}

/** The command that opens the demo's repository in the console, wherever aiswarm itself is installed. */
export const openAgain = (root: string): string =>
  `cd ${root} && ${settingOf(process.env)}${relative(root, join(binFolder(root), 'aiswarm'))}`

/** The worktree whose integration the demo's notice names. */
export const firstWorktree = demoWorktrees[0].name

/**
 * Has the demo use the server that the environment names, in a schema of its own: one that is named there belongs to a
 * person's board, which must not get the demo's tasks.
 */
const useOwnSchema = (environment: NodeJS.ProcessEnv): void => {
  const named = environment[STORE_VARIABLE]
  if (!named || !URL.canParse(named)) return
  const url = new URL(named)
  url.searchParams.delete('schema')
  environment[STORE_VARIABLE] = url.href
}

/** The variable as a shell sets it for one command; empty if the demo's board is a database file. */
const settingOf = (environment: NodeJS.ProcessEnv): string => {
  const named = environment[STORE_VARIABLE]
  return named ? `${STORE_VARIABLE}='${named.replaceAll("'", `'\\''`)}' ` : ''
}
