import { vi } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { claimTask, completeTask, reportTaskProgress, startTask } from '../../src/operations/tasks/claims.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { type Fixture, openFixture } from '../ui/fixture.ts'
import { openScreen } from '../ui/screen.ts'

/** The console with a board of four agents, without colours, always at the same moment. */
export const drawConsole = async (): Promise<string> => {
  vi.stubEnv('TZ', 'UTC')
  vi.useFakeTimers({ toFake: ['Date'], now: at('14:20:00') })
  const fixture = await openFixture()
  try {
    await fill(fixture)
    const screen = openScreen(fixture, { columns: 120, rows: 32, environment: { NO_COLOR: '1' } })
    try {
      await screen.shows('JWT API')
      await screen.press('j')
      await screen.shows(/▸ +2/)
      await screen.shows('↑3')
      await screen.shows(/⚑ ready/)
      await screen.shows(/conflicts with/)
      await screen.shows(/310 ?M/)
      await screen.shows('Expiry is checked before the role')
      return `\`\`\`text\n${screen
        .text()
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n')
        .trimEnd()}\n\`\`\``
    } finally {
      await screen.close()
    }
  } finally {
    fixture.close()
    vi.useRealTimers()
    vi.unstubAllEnvs()
  }
}

const at = (time: string): Date => new Date(`2026-01-30T${time}Z`)

const fill = async (fixture: Fixture): Promise<void> => {
  const { core, world } = fixture
  const as = async (time: string, act: () => Promise<unknown>): Promise<void> => {
    vi.setSystemTime(at(time))
    await act()
  }
  const works = async (taskId: number, agentId: string, personaId: string, worktree: string): Promise<void> => {
    await perform(core, registerAgent, { id: agentId, personaId, worktree }, person)
    await perform(core, claimTask, { taskId, agentId }, person)
    await perform(core, startTask, { taskId, agentId }, person)
  }
  const note = (taskId: number, agentId: string, progressNote: string, level: 'info' | 'warn' = 'info') =>
    perform(core, reportTaskProgress, { taskId, agentId, progressNote, level }, person)

  for (const name of ['user-auth', 'payments']) await fixture.addWorktree(name)
  await fixture.addTask('User model', { personaId: 'tester', priority: 100, targetWorktree: 'user-auth' })
  await fixture.addTask('JWT API', { priority: 100, targetWorktree: 'payments' })
  await fixture.addTask('Login form', { priority: 90, dependencies: [2] })
  await fixture.addTask('Audit log', { priority: 80 })
  await as('14:20:02', () => works(1, 'checks-1', 'tester', 'user-auth'))
  await as('14:26:10', () => perform(core, completeTask, { taskId: 1, agentId: 'checks-1' }, person))
  await as('14:22:03', () => works(2, 'backend-1', 'implementer', 'payments'))
  await as('14:22:30', () => note(2, 'backend-1', 'Created the token model'))
  await as('14:25:41', () => note(2, 'backend-1', '1 test failed: expired token', 'warn'))
  await as('14:26:11', () => note(2, 'backend-1', 'Expiry is checked before the role'))
  await as('14:26:11', () => fixture.makeReady('user-auth'))
  vi.setSystemTime(at('14:26:13'))
  world.observeProcesses = async () => [{ agentId: 'backend-1', cpu: 12, memory: 310 * 1024 * 1024, processes: 3 }]
  world.observeWorktrees = async () => [
    { name: 'user-auth', ahead: 3, behind: 0, dirty: 0, added: 312, removed: 20 },
    { name: 'payments', ahead: 1, behind: 2, dirty: 2, added: 40, removed: 3 },
  ]
  world.seen = {
    worktrees: ['user-auth', 'payments'].map((name) => ({
      name,
      target: 'main',
      brings: true,
      unfinished: 0,
      needs: [],
      uncommitted: 0,
      remark: null,
    })),
    pairs: [
      {
        a: 'payments',
        b: 'user-auth',
        withTarget: false,
        files: ['src/token.ts'],
        includesUncommitted: false,
        problem: null,
      },
    ],
    order: ['user-auth', 'payments'],
    steps: [],
  }
}
