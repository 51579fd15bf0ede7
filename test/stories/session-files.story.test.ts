import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { setImmediate as yielding } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { parseBoard } from '../../src/memory/session-files/board-file.ts'
import { parseSession } from '../../src/memory/session-files/session-file.ts'
import { getAgentRuns } from '../../src/operations/agents/runs.ts'
import { getTaskLogs } from '../../src/operations/tasks/detail.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { listEvents } from '../../src/operations/sessions/sessions.ts'
import { listTasks } from '../../src/operations/tasks/list.ts'
import { openSwarm, read, until, write } from '../effects/swarm.ts'
import { dose } from '../support/dose.ts'
import { aiswarm, answer, type Running, start } from './program.ts'

const agent = resolve(import.meta.dirname, '../fixtures/file-agent.mjs')
const session = 'session-20260130-142233'

interface Settings {
  readonly maxRetries?: number
  readonly maxParallel?: number
}

/**
 * A repository whose agents know only files, with the program to drive and the rows to inspect. `memories` is the
 * folder of the session's files.
 */
const openShop = async (settings: Settings = {}, memories = '.serena/memories') => {
  const kinds = { filer: { command: [process.execPath, agent, '{prompt}'], files: true } }
  const { core, root, show } = await openSwarm({
    config: JSON.stringify({ session: settings, agents: { default: 'filer', kinds } }),
  })
  const folder = join(root, memories)
  const signals = join(folder, '../signals')
  const file = (name: string): string => join(folder, name)
  const logs = async (taskId: number): Promise<readonly string[]> =>
    (await perform(core, getTaskLogs, { taskId }, person)).map((row) => row.message)
  const problems = async (): Promise<readonly string[]> =>
    (await perform(core, listEvents, { limit: 10_000 }, person))
      .filter((event) => event.operation === 'record_file_problem')
      .map((event) => (event.details as { problem: string }).problem)
  const prompts = (): readonly string[] =>
    existsSync(signals) ? readdirSync(signals).filter((name) => name.startsWith('prompt-')) : []
  return {
    root,
    folder,
    signals,
    show,
    logs,
    problems,
    file,
    tasks: () => perform(core, listTasks, {}, person),
    /** The highest number of concurrent processes of these agents. */
    mostAtOnce: async (agentIds: readonly string[]): Promise<number> => {
      const runs = (
        await Promise.all(agentIds.map((agentId) => perform(core, getAgentRuns, { agentId }, person)))
      ).flat()
      return Math.max(
        ...runs.map(
          ({ startedAt }) =>
            runs.filter((other) => other.startedAt <= startedAt && (other.endedAt ?? '9') > startedAt).length,
        ),
      )
    },
    /** Signals agents, and those that wait continue. */
    signal: (word: string) => write(signals, { [word]: '' }),
    prompt: (agentId: string, time = 1) => read(signals, `prompt-${agentId}-${time}`),
    prompts,
    /** Waits until this many agents have started; a program that ended by itself is reported with its output. */
    begun: (run: Running, count: number) =>
      until(`${count} agents`, () => {
        if (run.child.exitCode !== null) throw new Error(run.said())
        return prompts().length === count
      }),
    logged: (taskId: number, said: string | RegExp) =>
      until(`${String(said)} in the log of task ${taskId}`, async () =>
        (await logs(taskId)).find((line) => (typeof said === 'string' ? line.includes(said) : said.test(line))),
      ),
    status: (taskId: number, wanted: string) =>
      until(`task ${taskId} to be ${wanted}`, async () => (await show(taskId)).status === wanted),
    told: (part: string) =>
      until(`an event that says ${part}`, async () => (await problems()).some((problem) => problem.includes(part))),
    import: (text: string) => {
      write(root, { 'board.md': text })
      return aiswarm(root, 'session', 'import', join(root, 'board.md'))
    },
    write: (name: string, content: string | Uint8Array) => writeFileSync(file(name), content),
    board: () => parseBoard(readFileSync(file('task-board.md'), 'utf8'), 'task-board.md'),
    session: () => parseSession(readFileSync(file('orchestrator-session.md'), 'utf8'), 'orchestrator-session.md'),
  }
}

interface Job {
  readonly agent: string
  readonly way: string
  readonly criteria?: readonly string[]
  readonly after?: string
}

/** A board as a person writes it, starting with `task-1`. */
const boardOf = (jobs: readonly Job[]): string =>
  `# Task Board\n## Session: ${session}\n` +
  jobs
    .map(
      ({ agent, way, criteria = [], after = 'none' }, at) => `
### task-${at + 1}
- **Agent**: ${agent}
- **CLI**: filer
- **Title**: Work of ${agent}
- **Status**: pending
- **Priority**: 1
- **Dependencies**: ${after}
- **Description**: Do: ${way}
- **Acceptance Criteria**:
${criteria.map((text) => `  - ${text}`).join('\n')}
`,
    )
    .join('')

const resultOf = (agentId: string, status: string, more = '\n## Summary\nAll is well.\n'): string =>
  `# Result: ${agentId}\n## Status: ${status}\n${more}`
const turnOf = (number: number, action: string): string =>
  `\n### Turn ${number} - 2026-01-30T14:22:33Z\n- **Action**: ${action}\n- **Status**: in_progress\n`

it(
  'a board is run by agents that know only files, and every outcome is distinguished',
  { timeout: 600_000 },
  async () => {
    const shop = await openShop({ maxRetries: 0, maxParallel: 8 })
    const { root, show, logs } = shop
    mkdirSync(shop.folder, { recursive: true })
    // A file of an earlier session.
    shop.write('result-silent.md', resultOf('silent', 'completed'))
    const board = boardOf([
      { agent: 'backend', way: 'complete', criteria: ['The file is made', 'It was looked at again'] },
      { agent: 'frontend', way: 'fail', criteria: ['The form is there', 'It is validated'] },
      { agent: 'mobile', way: 'crash' },
      { agent: 'silent', way: 'silence' },
      { agent: 'web', way: 'late' },
      { agent: 'ops', way: 'trespass' },
      { agent: 'data', way: 'change-the-board' },
      { agent: 'qa', way: 'complete', after: 'task-1, task-2' },
      { agent: 'sloppy', way: 'wait' },
    ])
    expect(await shop.import(board)).toMatchObject({ code: 0, out: `${session} has started with 9 tasks.\n` })
    expect(await shop.import(board)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${session} was already started. A board can be imported once.`) as string,
    })

    const run = start(root, ['run', '--until-idle'])
    for (const [taskId, status] of [
      [1, 'completed'],
      [2, 'failed'],
      [3, 'failed'],
      [4, 'failed'],
      [6, 'completed'],
      [7, 'completed'],
    ] as const)
      await shop.status(taskId, status)
    await shop.logged(5, 'result-web.md names ops as its agent, so the wrong agent wrote it; the file was ignored.')
    await shop.told('result-ghost.md was written, but that agent has no task in progress; the file was ignored.')
    expect((await show(5)).status).toMatch(/claimed|in_progress/)

    await until('sloppy', () => shop.prompts().includes('prompt-sloppy-1'))
    shop.write('result-sloppy.md', resultOf('sloppy', 'completed or failed'))
    const listed = "result-sloppy.md:2: the status still lists the template's choices; write completed or failed."
    await shop.logged(9, listed)

    const standing = await aiswarm(root, 'agent', 'status', session)
    expect(standing).toMatchObject({ code: 0, err: '' })
    expect(standing.out.trim().split('\n').sort()).toEqual(
      [
        'backend:completed',
        'data:completed',
        'frontend:failed',
        'mobile:crashed',
        'ops:completed',
        'qa:blocked',
        'silent:no-artifact',
        'sloppy:running',
        'web:running',
      ].sort(),
    )
    expect(await aiswarm(root, 'agent', 'status', session, 'nobody', 'backend')).toMatchObject({
      code: 0,
      out: 'nobody:crashed\nbackend:completed\n',
    })
    const ending = await aiswarm(root, 'session', 'end', '--status', 'completed')
    expect(ending).toMatchObject({
      code: 1,
      err: expect.stringContaining('Task 8 is blocked by a task that failed or was cancelled') as string,
    })

    const before = read(shop.file('result-web.md'))
    for (const [name, whose] of [
      ['result-web.md', 'belongs to agent web, and you are ops'],
      ['task-board.md', 'is written only by the orchestrator, and you are ops'],
    ] as const)
      expect(await aiswarm(root, 'memory', 'write', name, join(root, 'board.md'), '--agent', 'ops')).toMatchObject({
        code: 1,
        err: expect.stringContaining(`${name} ${whose}`) as string,
      })
    expect(read(shop.file('result-web.md'))).toBe(before)

    shop.signal('go')
    const ended = await run.ended
    expect(ended.code, ended.err).toBe(3)
    expect(ended.out + ended.err).not.toMatch(/\n {4}at /)

    expect((await aiswarm(root, 'task', 'logs', '1')).out.match(/Turn \d: .*/g)).toEqual([
      'Turn 1: Read the task board · it is clear · in_progress',
      'Turn 2: Made the file · files made-by-backend.txt · in_progress',
      'Turn 3: Looked at it again · in_progress',
    ])
    expect(await show(1)).toMatchObject({
      status: 'completed',
      artifacts: ['made-by-backend.txt'],
      acceptanceCriteria: [
        { text: 'The file is made', met: true },
        { text: 'It was looked at again', met: true },
      ],
      resultData: { summary: 'backend is done.', turnsUsed: 3 },
    })
    expect(await show(2)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('The database is down.\n- PostgreSQL connection refused') as string,
      acceptanceCriteria: [
        { text: 'The form is there', met: true },
        { text: 'It is validated', met: false },
      ],
    })
    expect((await show(3)).errorMessage).toContain('mobile ended with exit code 9')
    expect(await logs(3)).toContain('Turn 1: Began · in_progress')
    expect((await show(4)).errorMessage).toBe(
      'no-artifact: silent ended with exit code 0 without completing its task: I think that I am done.',
    )
    expect(await show(5)).toMatchObject({ status: 'completed', resultData: { summary: 'web is done.' } })

    expect((await show(9)).errorMessage).toMatch(/^no-artifact: /)
    expect((await logs(9)).filter((line) => line === listed)).toHaveLength(1)

    expect((await shop.problems()).filter((problem) => problem.startsWith('task-board.md'))).toEqual([
      'task-board.md was changed by another program; it belongs to the orchestrator, so the change was ignored and the file rewritten.',
    ])
    expect((await shop.tasks()).map((task) => task.id).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(shop.board().session).toBe(session)
    expect(shop.board().tasks.map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'failed',
      'failed',
      'completed',
      'completed',
      'completed',
      'blocked',
      'failed',
    ])
    const told = shop.session()
    expect(told).toMatchObject({ id: session, status: 'failed', summary: { totalTasks: 9, completed: 4, failed: 4 } })
    expect(Object.fromEntries(told.agents.map(({ id, status, task }) => [id, `${status} ${task}`]))).toMatchObject({
      backend: 'completed 1',
      frontend: 'failed 2',
      web: 'completed 5',
    })
    expect(await shop.import(board)).toMatchObject({
      code: 1,
      err: expect.stringContaining('A board can be imported once') as string,
    })
  },
)

it(
  'an agent fails, ends without a word, and succeeds when its prompt asks for another approach',
  { timeout: 600_000 },
  async () => {
    const shop = await openShop()
    const { root, show } = shop
    await shop.import(
      boardOf([
        { agent: 'backend', way: 'try-thrice', criteria: ['It listens'] },
        { agent: 'docs', way: 'complete', after: 'task-1' },
      ]),
    )
    const run = start(root, ['run', '--until-idle'])
    const retried = async (attempt: number): Promise<void> => {
      await until(`the end of attempt ${attempt}`, async () => (await show(1)).attempts[attempt - 1]?.endedAt)
      expect((await show(1)).notBefore).not.toBeNull()
      expect((await aiswarm(root, 'task', 'retry', '1')).code).toBe(0)
    }
    await retried(1)
    await shop.logged(1, 'Turn 2: Looked for the cause')
    // The failed result of the first attempt is still there.
    expect(read(shop.file('result-backend.md'))).toContain('The port is taken.')
    expect((await aiswarm(root, 'agent', 'status', session)).out).toBe('backend:running\ndocs:blocked\n')
    shop.signal('again')
    await retried(2)
    const ended = await run.ended
    expect(ended.code, ended.err).toBe(0)

    expect((await show(1)).attempts.map(({ outcome, error }) => [outcome, error?.split(':')[0] ?? null])).toEqual([
      ['failed', 'The port is taken.'],
      ['failed', 'no-artifact'],
      ['completed', null],
    ])
    expect(shop.prompt('backend', 1)).not.toContain('Earlier attempts')
    expect(shop.prompt('backend', 2)).toMatch(/The last one ended with:\nThe port is taken\.[^]*Find the cause/)
    expect(shop.prompt('backend', 3)).toMatch(
      /This is attempt 3\. The last one ended with:\nno-artifact: backend ended with exit code 0[^]*try another approach/,
    )
    expect(shop.session()).toMatchObject({
      status: 'completed',
      summary: {
        totalTasks: 2,
        completed: 2,
        failed: 0,
        filesCreated: ['made-by-backend.txt', 'made-by-docs.txt'],
        issues: [],
      },
    })
    expect(await answer(root, 'session', 'show')).toMatchObject({ id: session, status: 'completed' })

    // The result of the previous session says completed.
    expect(read(shop.file('result-docs.md'))).toContain('## Status: completed')
    expect(await aiswarm(root, 'agent', 'run', 'docs', 'Do: silence')).toMatchObject({
      code: 1,
      out: 'docs:no-artifact\n',
    })
  },
)

it(
  'agents that a person names run one by one or several at a time, and their outcomes become exit codes',
  { timeout: 600_000 },
  async () => {
    const shop = await openShop({ maxParallel: 2 }, 'docs/memory')
    const { root } = shop
    write(root, { 'mcp.json': '{"memoryConfig": {"basePath": "docs/memory"}}' })
    const prompt = 'Do: complete\n"$HOME" `id` $(id) \'; * \\n ü 🦆 {agentId}\t#'
    write(root, {
      'api/README.md': '',
      'todo.md': 'Do: fail',
      'crowd.yaml': `tasks: ${JSON.stringify(Array.from({ length: 5 }, (_, at) => ({ agent: `c-${at}`, task: 'Do: crowd' })))}\n`,
    })

    expect(await aiswarm(root, 'agent', 'run', 'solo', prompt, '--kind', 'filer')).toMatchObject({
      code: 0,
      out: 'solo:completed\n',
    })
    expect(shop.prompt('solo')).toContain(prompt)
    expect(await aiswarm(root, 'agent', 'run', 'reader', 'todo.md')).toMatchObject({ code: 1, out: 'reader:failed\n' })
    expect(await aiswarm(root, 'agent', 'run', '../x', 'Do: complete')).toMatchObject({ code: 1, out: '' })
    expect(await aiswarm(root, 'agent', 'run', 'lost', 'Do: complete', '--workspace', './nowhere')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('./nowhere') as string,
    })

    const mixed = await aiswarm(
      root,
      'agent',
      'parallel',
      '--inline',
      'a:Do: tell:./api',
      'b:Do: tell',
      `c:Do: tell:${root}/api`,
      'd:Do: crash',
      'e:Do: silence',
    )
    expect(mixed.code, mixed.err).toBe(1)
    expect(mixed.out).toMatch(
      /^a:completed\nb:completed\nc:completed\nd:crashed\ne:no-artifact\nTotal +5\nCompleted +3\nFailed +2\n$/,
    )
    const told = new Map(
      (await shop.tasks()).map((task) => [
        task.wantedAgentId,
        (task.resultData as { summary?: string } | null)?.summary,
      ]),
    )
    expect([told.get('a'), told.get('b'), told.get('c')]).toEqual([`In ${root}/api`, `In ${root}`, `In ${root}/api`])

    const crowd = await aiswarm(root, 'agent', 'parallel', join(root, 'crowd.yaml'))
    expect(crowd.code, crowd.err).toBe(0)
    expect(crowd.out).toMatch(/Total +5\nCompleted +5\nFailed +0\n$/)
    // No agent ends before a second one has started.
    expect(await shop.mostAtOnce(Array.from({ length: 5 }, (_, at) => `c-${at}`))).toBe(2)

    const { sessionId } = await answer<{ sessionId: string }>(
      root,
      'agent',
      'parallel',
      '--no-wait',
      '--inline',
      'later:Do: late',
    )
    expect((await aiswarm(root, 'agent', 'status', sessionId, 'later')).out).toBe('later:running\n')
    shop.signal('go')
    await until(
      'the result of later',
      () => existsSync(shop.file('result-later.md')) && read(shop.file('result-later.md')).includes('Issues'),
    )
    expect((await aiswarm(root, 'agent', 'status', sessionId, 'later')).out).toBe('later:completed\n')
    // The next supervisor imports it.
    expect((await aiswarm(root, 'agent', 'run', 'solo', 'Do: silence')).code).toBe(1)
    expect((await shop.tasks()).find((task) => task.wantedAgentId === 'later')).toMatchObject({ status: 'completed' })
  },
)

/** Agents that write at the same time. */
const CROWD = dose(50, 12)

it(
  `${CROWD} agents append to their files at once: no turn is lost, and no reader of the board sees half of it`,
  { timeout: 600_000 },
  async () => {
    const shop = await openShop({ maxParallel: CROWD, maxRetries: 0 })
    const names = Array.from({ length: CROWD }, (_, at) => `agent-${at + 1}`)
    await shop.import(boardOf(names.map((agent) => ({ agent, way: 'hurry' }))))
    const run = start(shop.root, ['run', '--until-idle'])
    let running = true
    void run.ended.then(() => (running = false))
    const texts = new Set<string>()
    const reader = (async () => {
      await until('the first board', () => existsSync(shop.file('task-board.md')))
      // More reads make it more likely to meet a file that is being written.
      for (let reads = 1; running; reads++) {
        texts.add(readFileSync(shop.file('task-board.md'), 'utf8'))
        if (reads % 100 === 0) await yielding()
      }
    })()
    // Its findings are reported where it is awaited.
    reader.catch(() => undefined)
    await shop.begun(run, CROWD)
    // A board that is written late may show no agent at work.
    await until('a board with all of them at work', () =>
      [...texts].some((text) =>
        parseBoard(text, 'task-board.md').tasks.every(({ status }) => status === 'in_progress'),
      ),
    )
    shop.signal('go')
    const ended = await run.ended
    expect(ended.code, ended.err).toBe(0)
    await reader
    const boards = [...texts].map((text) => parseBoard(text, 'task-board.md'))
    for (const { tasks } of boards) expect(tasks.map((task) => task.agent)).toEqual(names)
    expect(new Set(boards.flatMap(({ tasks }) => tasks.map(({ status }) => status)))).toEqual(
      new Set(['pending', 'in_progress', 'completed']),
    )
    for (const [at, name] of names.entries()) {
      expect((await shop.logs(at + 1)).filter((line) => line.startsWith('Turn'))).toEqual(
        Array.from({ length: 10 }, (_, n) => `Turn ${n + 1}: Step ${n + 1} of ${name} · in_progress`),
      )
    }
    expect(await shop.problems()).toEqual([])
  },
)

it(
  'a malformed file of an agent is reported in a sentence, has no effect, and is imported when it is repaired',
  { timeout: 600_000 },
  async () => {
    const agents = [
      'half',
      'half-2',
      'shrink',
      'huge',
      'latin',
      'windows',
      'twice',
      'template',
      'slash',
      'link',
      'pipe',
      'gone',
    ] as const
    const shop = await openShop({ maxParallel: agents.length, maxRetries: 0 })
    const { root, show } = shop
    const of = (name: (typeof agents)[number]): number => agents.indexOf(name) + 1
    await shop.import(boardOf(agents.map((agent) => ({ agent, way: 'wait', criteria: ['It works'] }))))
    const run = start(root, ['run', '--until-idle'])
    await shop.begun(run, agents.length)

    shop.write('result-half.md', '# Result: half\n## Task: task-1\n## Status: completed\n')
    shop.write('result-half-2.md', resultOf('half-2', 'completed'))
    shop.write('result-gone-session-20250101-000000.md', resultOf('gone', 'completed'))
    shop.write('progress-shrink.md', `# Progress: shrink\n${turnOf(1, 'One')}${turnOf(2, 'Two')}${turnOf(3, 'Three')}`)
    shop.write('progress-huge.md', Buffer.alloc(10 * 1024 * 1024, `${turnOf(1, 'Much')}\n`))
    shop.write(
      'result-latin.md',
      Buffer.concat([Buffer.from(resultOf('latin', 'completed')), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])]),
    )
    shop.write(
      `result-windows-${session}.md`,
      `\ufeff${resultOf('windows', 'completed', '\n## Summary\nAll is well.\n\n## Acceptance Criteria\n- [x] It works\n').replaceAll('\n', '\r\n')}`,
    )
    shop.write('result-twice.md', `${resultOf('twice', 'failed')}\n## Status: completed\n`)
    shop.write('result-template.md', resultOf('template', 'completed | failed'))
    shop.write('progress-slash.md', `# Progress: ../../slash\n${turnOf(1, 'Climbed out')}`)
    write(root, { 'secret.md': resultOf('link', 'completed') })
    symlinkSync(join(root, 'secret.md'), shop.file('result-link.md'))
    execFileSync('mkfifo', [shop.file('result-pipe.md')])

    const sentences = [
      ['shrink', undefined, 'Turn 3: Three'],
      ['huge', 'progress-huge.md has 10 MB, and at most 1 MB is read; shorten it.'],
      ['latin', 'result-latin.md:6: there is a byte that is not UTF-8; write the file as UTF-8.'],
      ['twice', "result-twice.md:7: a second heading 'Status: completed' contradicts the first."],
      ['template', "result-template.md:2: the status still lists the template's choices; write completed or failed."],
      ['slash', "progress-slash.md:1: '../../slash' is not a valid agent id; write # Progress: with the agent's id."],
      ['link', 'result-link.md is a symbolic link, which is not followed; replace it with the file.'],
      ['pipe', 'result-pipe.md is not a regular file; remove it.'],
    ] as const
    for (const [name, sentence, turn] of sentences) await shop.logged(of(name), sentence ?? turn)
    for (const name of ['windows', 'half-2'] as const) await shop.status(of(name), 'completed')
    expect((await show(of('windows'))).acceptanceCriteria).toMatchObject([{ text: 'It works', met: true }])
    for (const name of agents.filter((one) => one !== 'windows' && one !== 'half-2'))
      expect((await show(of(name))).status).toMatch(/claimed|in_progress/)

    // After its repair one after the other of them is imported.
    appendFileSync(shop.file('result-half.md'), '\n## Summary\nThe rest came late.\n')
    shop.write('progress-shrink.md', `# Progress: shrink\n${turnOf(1, 'One')}`)
    shop.write('progress-huge.md', `# Progress: huge\n${turnOf(1, 'Less')}`)
    shop.write('progress-slash.md', `# Progress: slash\n${turnOf(1, 'Stayed')}`)
    for (const name of ['latin', 'twice', 'template'] as const)
      shop.write(`result-${name}.md`, resultOf(name, 'completed'))
    for (const name of ['link', 'pipe'] as const) {
      rmSync(shop.file(`result-${name}.md`))
      shop.write(`result-${name}.md`, resultOf(name, 'completed'))
    }
    for (const name of ['half', 'latin', 'twice', 'template', 'link', 'pipe'] as const)
      await shop.status(of(name), 'completed')
    expect((await show(of('half'))).resultData).toMatchObject({ summary: 'The rest came late.' })
    await shop.logged(of('huge'), 'Turn 1: Less')
    await shop.logged(of('slash'), 'Turn 1: Stayed')
    await shop.logged(
      of('shrink'),
      'progress-shrink.md has fewer turns than before; the turns already read stay in the log.',
    )
    appendFileSync(shop.file('progress-shrink.md'), turnOf(4, 'Four'))
    await shop.logged(of('shrink'), 'Turn 4: Four')

    rmSync(shop.folder, { recursive: true })
    await until(
      'the folder to be made again',
      () => existsSync(shop.file('task-board.md')) && existsSync(shop.file('orchestrator-session.md')),
    )
    for (const name of ['gone', 'shrink', 'huge', 'slash'] as const)
      shop.write(`result-${name}.md`, resultOf(name, 'completed'))
    for (const name of agents) await shop.status(of(name), 'completed')

    shop.signal('go')
    const ended = await run.ended
    expect(ended.code, ended.err).toBe(0)
    expect(ended.out + ended.err).not.toMatch(/\n {4}at /)
    expect((await shop.logs(of('shrink'))).filter((line) => line.startsWith('Turn'))).toEqual(
      ['One', 'Two', 'Three', 'Four'].map((action, at) => `Turn ${at + 1}: ${action} · in_progress`),
    )
    for (const [name, sentence] of sentences) {
      if (sentence !== undefined)
        expect((await shop.logs(of(name))).filter((line) => line.includes(sentence))).toHaveLength(1)
    }
    expect(shop.session()).toMatchObject({ status: 'completed', summary: { totalTasks: 12, completed: 12, failed: 0 } })
    expect(read(root, 'secret.md')).toBe(resultOf('link', 'completed'))
  },
)
