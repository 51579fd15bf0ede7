import { getPriority } from 'node:os'
import { writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { findLimiter, limiter, limitWords } from '../../../src/effects/sandbox/limits.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { dryRun } from '../../../src/effects/runs/dry-run.ts'
import { temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { openSwarm, read } from '../swarm.ts'
import { script } from './script.ts'

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const run = async (config: string, command: string) => {
  const swarm = await openSwarm({ config })
  await swarm.build('auth')
  const task = await swarm.carryOut(command, { targetWorktree: 'auth' })
  return { swarm, task, said: read(outputPath(swarm.root, task.attempts.at(-1)!.agentId)) }
}

describe('an agent with a limit', () => {
  it('is stopped when its processes use more memory, which uses up no retry', async () => {
    // At most 1.5 GB, should no limit hold.
    const eat = 'const a=[]; for (let n=0; n<190; n++) a.push(Buffer.alloc(8e6, 1)); setTimeout(() => {}, 20000)'
    const { task, said } = await run('limits: {memory: 200MB}', `node -e '${eat}' & wait; echo survived`)
    expect(said).not.toContain('survived')
    expect(task).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(task.attempts.at(-1)).toMatchObject({
      outcome: 'unavailable',
      error: `${task.attempts.at(-1)!.agentId} was stopped because its processes used more memory than its limit of 200M (limits.memory). The task did not use up a retry.`,
    })
  })

  it('cannot fill the memory through its temporary folder', async () => {
    const { said } = await run(
      'limits: {memory: 80MB}',
      'head -c 200M /dev/zero > /tmp/full; echo "code $?"; stat -c %s /tmp/full',
    )
    expect(said).toContain('No space left on device')
    expect(Number(said.trim().split('\n').at(-1))).toBeLessThanOrEqual(80 * 1024 ** 2)
  })

  it('has no more processes than its limit', async (context) => {
    const found = await limiter()
    needs(
      context,
      found.kind !== 'watch' || found.pids !== undefined || process.getuid?.() !== 0,
      'the kernel does not count the processes of root',
    )
    const fork =
      'for (1..300) { $p = fork; if (!defined $p) { print "refused after $_\\n"; exit 3 } if (!$p) { sleep 30; exit } }'
    const { task, said } = await run('limits: {processes: 60}', `perl -e '$| = 1; ${fork} print "none refused\\n"'`)
    expect(said).not.toContain('none refused')
    expect(task).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(task.attempts.at(-1)!.error).toContain('reached its limit of 60 (limits.processes)')
  })

  it('ends with all of a fork bomb', async (context) => {
    const found = await limiter()
    needs(
      context,
      found.kind !== 'watch' || found.pids !== undefined || process.getuid?.() !== 0,
      'the kernel does not count the processes of root',
    )
    const { swarm, task, said } = await run(
      'limits: {processes: 60}',
      `bash -c 'b() { b | b & }; b; sleep 2' 2>&1 | grep -m1 -o "fork: .*"; exit 3`,
    )
    // Of bash, or of the shell before it.
    expect(said).toMatch(/Resource temporarily unavailable|Cannot fork/)
    expect(task).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(processesMarked({ AISWARM_ROOT: swarm.root })).toEqual([])
  })

  it('works below its limits as without them', async () => {
    const { task, said } = await run(
      'limits: {memory: 2GB, processes: 500, cpuWeight: 50}',
      'echo a > a; git add a; git commit -qm "Add a"; nice; exit 0',
    )
    expect(task).toMatchObject({ status: 'completed' })
    if ((await limiter()).kind === 'watch') expect(said).toContain(`${getPriority() + 3}\n`)
  })

  it('has the limits of its persona first, and its preview says what holds it to them', async () => {
    const swarm = await openSwarm({
      config: 'limits: {memory: 2GB}\nagents: {default: claude, personas: {implementer: {limits: {processes: 100}}}}',
    })
    const { id } = await swarm.task({ title: 'a' })
    const { limits } = await dryRun(swarm.world, { personaId: 'implementer', kind: null, worktree: null, taskId: id })
    expect(limits).toMatch(
      /^2\.0G of memory, 100 processes, (in a scope of systemd|in a cgroup|watched in the sandbox)/,
    )
  })
})

describe('a scope of systemd', () => {
  it('is used if it starts a program that sees its limits', async () => {
    const bin = join(temporaryFolder(), 'bin')
    const cgroups = join(temporaryFolder(), 'cgroup')
    mkdirSync(bin)
    mkdirSync(cgroups)
    writeFileSync(join(cgroups, 'cgroup.controllers'), 'memory pids')
    // It has no rights to make one, as in a container.
    script(join(bin, 'systemd-run'), 'echo "Failed to connect to bus" >&2; exit 1')
    expect(await findLimiter({ path: bin, cgroups, own: '/' })).toEqual({
      kind: 'watch',
      why: 'neither systemd nor the kernel lets this user make a cgroup with limits',
    })
  })

  it('gets the limits as properties, and does not show the bus of the session to the program', () => {
    const words = limitWords(
      { kind: 'scope', words: ['systemd-run', '--user', '--scope'], unset: ['XDG_RUNTIME_DIR', 'HOME'] },
      { memory: 1024, processes: 7, cpuWeight: 20 },
      { name: 'a', record: '/record', environment: { HOME: '/home' } },
    )!
    expect(words.slice(0, 13)).toEqual([
      ...['systemd-run', '--user', '--scope', '-p', 'Delegate=yes', '-p', 'MemoryMax=1024', '-p', 'MemorySwapMax=0'],
      ...['-p', 'TasksMax=7', '-p', 'CPUWeight=20'],
    ])
    expect(words.slice(-3)).toEqual(['env', '-u', 'XDG_RUNTIME_DIR'])
  })
})
