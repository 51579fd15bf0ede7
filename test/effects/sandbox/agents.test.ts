import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { git, openSwarm, read, until } from '../swarm.ts'
import { runCanBeConfined } from '../../../src/effects/sandbox/run.ts'
import { refusal } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const processes = (): readonly string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** The text of a file of a process; empty if the process is gone. */
const of = (pid: string | number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** True while a process with this command line runs. */
const runs = (commandLine: string): boolean => processes().some((pid) => of(pid, 'cmdline') === commandLine)

const childOf = (parent: number): number | undefined =>
  processes()
    .map(Number)
    .find((pid) => of(pid, 'status').includes(`\nPPid:\t${parent}\n`))

const opened = async (config = '') => {
  const swarm = await openSwarm({ config })
  const folder = await swarm.build('auth')
  /** Runs a command as an agent in the worktree; returns its task and its output. */
  const run = async (command: string) => {
    const task = await swarm.carryOut(command, { targetWorktree: 'auth' })
    const agentId = task.attempts.at(-1)!.agentId
    return { task, said: read(outputPath(swarm.root, agentId)) }
  }
  return { swarm, folder, run }
}

describe('a command in a sandbox', () => {
  it('commits on its branch, and aiswarm commits the rest', async () => {
    const { swarm, folder, run } = await opened()
    const { task, said } = await run(
      'set -e; echo a > a; git add a; git commit -qm "Add a"; echo b > b; git stash -qu; git stash pop -q; git log --oneline -1; git reflog -1',
    )
    expect(said).toContain('Add a')
    expect(task).toMatchObject({ status: 'completed' })
    expect(git(folder, 'log', '--format=%s', 'main..feature/auth').split('\n')).toHaveLength(2)
    expect(git(folder, 'status', '--short')).toBe('')
    expect(git(swarm.root, 'fsck', '--no-dangling')).toBe('')
  })

  it('reaches the board through the doorway, with commits that it has just made', async () => {
    const { swarm, run } = await opened()
    const { said } = await run(
      'echo a > a; git add a; git commit -qm "Add a"; aiswarm task list; aiswarm task add more --persona implementer; aiswarm worktree show auth; echo "code $?"; aiswarm db backup /tmp/x; echo "code $?"; env -u AISWARM_DOORWAY aiswarm task list; echo "code $?"',
    )
    expect(said).toContain('code 0')
    expect(said).toContain("'aiswarm db backup' is not for an agent in a sandbox.\ncode 1")
    expect(said.trim().split('\n').at(-1)).not.toBe('code 0')
    expect((await swarm.show(2)).title).toBe('more')
  })

  it('has the MCP server of aiswarm on its standard output', async () => {
    const { run } = await opened()
    const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const { said } = await run(`echo '${message}' | aiswarm mcp --root "$AISWARM_ROOT" 2> /dev/null`)
    expect(said).toContain('{"result":{},"jsonrpc":"2.0","id":1}')
  })

  it('shows a branch that moves outside, and moves none but its own', async () => {
    const { swarm, run } = await opened()
    const main = git(swarm.root, 'rev-parse', 'main')
    const { said } = await run(
      'git update-ref refs/heads/main $(git commit-tree HEAD^{tree} -m x); git branch evil; git tag evil; git rev-parse main',
    )
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(main)
    expect(git(swarm.root, 'branch', '--list', 'evil')).toBe('')
    expect(git(swarm.root, 'tag', '--list')).toBe('')
    expect(said).not.toContain('Read-only')
  })

  it('loses no commit when all of it is killed', async () => {
    const { swarm, folder } = await opened()
    await swarm.task({
      command: 'echo a > a; git add a; git commit -qm "Add a"; touch made; sleep 600',
      targetWorktree: 'auth',
    })
    const run = await swarm.begin()
    await until('the commit', () => existsSync(join(folder, 'made')))
    process.kill(-run.identity!.pid, 'SIGKILL')
    await until('the end', () => !existsSync(`/proc/${run.identity!.pid}`))
    const { settle } = await import('../../../src/effects/runs/termination.ts')
    await settle(swarm.world, run, 'vanished')
    expect(git(folder, 'log', '-1', '--format=%s', 'feature/auth')).toBe('Add a')
    expect(readdirSync(folder)).toContain('made')
  })

  it('ends when only the shell that started it is killed', async () => {
    const { swarm, folder } = await opened()
    await swarm.task({ command: "trap '' TERM; touch made; sleep 987651", targetWorktree: 'auth' })
    const { identity } = await swarm.begin()
    await until('the program', () => existsSync(join(folder, 'made')) && runs('sleep\x00987651\x00'))
    process.kill(childOf(identity!.pid)!, 'SIGKILL')
    await until('its end', () => !runs('sleep\x00987651\x00'))
  })
})

describe('a repository that contains the home folder', () => {
  it('shows none of the home to an agent in a worktree', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    writeFileSync(join(swarm.root, 'token'), 'person')
    vi.stubEnv('HOME', swarm.root)
    const task = await swarm.carryOut(`cat ${swarm.root}/token; echo a > a; git add a; git commit -qm "Add a"`, {
      targetWorktree: 'auth',
    })
    const said = read(outputPath(swarm.root, task.attempts.at(-1)!.agentId))
    expect(said).not.toContain('person')
    expect(task.status).toBe('completed')
    expect(git(folder, 'log', '-1', '--format=%s', 'feature/auth')).toBe('Add a')
  })

  it('confines no agent that works in it: it says so, or refuses', async () => {
    const swarm = await openSwarm()
    vi.stubEnv('HOME', swarm.root)
    const run = { personaId: 'implementer', kind: 'command', worktree: null, folder: null }
    expect(await runCanBeConfined(swarm.world, run)).toEqual({
      off: `the home folder is in its working folder ${swarm.root}`,
      chosen: false,
    })
    const required = await openSwarm({ config: 'sandbox: required' })
    vi.stubEnv('HOME', required.root)
    expect((await refusal(runCanBeConfined(required.world, run))).message).toContain('the home folder is in')
    expect('bubblewrap' in (await runCanBeConfined(required.world, { ...run, worktree: 'auth' }))).toBe(true)
  })
})
