import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { adrText } from '../../memory/project-memory/project.ts'
import { agentActor } from '../../support/core.ts'
import { type Given, openTerminal } from '../terminal.ts'

/** A command line in a repository of which only the root is known. */
const openMemory = async (given: Given = {}) => {
  const root = { path: '' }
  const terminal = await openTerminal({
    ...given,
    services: {
      repositoryRoot: () => Promise.resolve(root.path),
      fileLock: () => Promise.resolve(withFileLock),
      ...given.services,
    },
  })
  // A test that must not open a database has none.
  root.path = given.services?.open === undefined ? terminal.core.root : join(terminal.folder, 'bare')
  mkdirSync(root.path, { recursive: true })
  const write = (name: string, text: string): string => {
    writeFileSync(join(terminal.folder, name), text)
    return join(terminal.folder, name)
  }
  return {
    ...terminal,
    core: { ...terminal.core, root: root.path },
    write,
    read: (path: string) => readFileSync(join(root.path, path), 'utf8'),
    memory: (...argv: string[]) => terminal.run('memory', ...argv),
  }
}

let terminal: Awaited<ReturnType<typeof openMemory>>
beforeEach(async () => {
  terminal = await openMemory({ services: { open: () => Promise.reject(new Error('no database was to be opened')) } })
  await terminal.memory('init')
})

describe('project memory', () => {
  it('is created by init, without a database', async () => {
    const fresh = await openMemory({
      services: { open: () => Promise.reject(new Error('no database was to be opened')) },
    })
    expect((await fresh.memory('init')).out).toBe(
      'Created context/meta/summary.md\nCreated context/meta/timeline.md\nCreated context/meta/handoff-protocol.md\nCreated context/decisions/decisions-log.md\n',
    )
    expect(await fresh.json('memory', 'init')).toMatchObject({ created: [] })
    expect(await fresh.memory('verify')).toEqual({ code: 0, out: 'Project memory is sound.\n', err: '' })
  })

  it('records timeline and log entries in the name of the agent, else of a person', async () => {
    const { memory, json, read } = terminal
    expect(
      (await memory('timeline', 'Verified', '--agent', 'claude', '--note', 'all pass', '--note', '- and more')).code,
    ).toBe(0)
    expect(read('context/meta/timeline.md')).toMatch(
      /^# Timeline\n\n## \S+Z - claude - Verified\n- all pass\n- - and more\n$/,
    )
    expect(await json('memory', 'timeline', 'By hand')).toMatchObject({ agent: 'human', notes: [] })
    expect(
      await json(
        'memory',
        'log',
        'file_modified',
        'path=audit.ts',
        'added=319',
        'removed=0',
        '--agent',
        'claude',
        '--phase',
        '0.1',
      ),
    ).toMatchObject({
      type: 'file_modified',
      path: 'audit.ts',
      added: 319,
    })
    await memory('log', 'file_modified', 'path=db.ts', 'added=465', 'removed=0', '--agent', 'claude')
    expect(read('.claude/sessions/working-0.1.jsonl').split('\n')).toHaveLength(2)
    expect((await memory('query', 'What files were modified in current session?')).out).toBe(
      'audit.ts (+319), db.ts (+465)\n',
    )
    expect(await terminal.refused('memory', 'log', 'note', 'x', '--agent', 'claude')).toMatchObject({
      exit: 2,
      code: 'invalid_input',
    })
    for (const agent of ['../x', 'a b', 'human']) expect((await memory('timeline', 'x', '--agent', agent)).code).toBe(1)
  })

  it('has decisions that are proposed, accepted by another author, linked, superseded, drawn, listed and shown', async () => {
    const { memory, json, refused, read, write } = terminal
    for (const id of ['ADR-004', 'ADR-005']) {
      const draft = write('draft.md', adrText(id))
      expect((await memory('adr', 'propose', id, '--agent', 'chatgpt', '--file', draft)).out).toBe(
        `${id} is a draft in context/decisions/adr/${id}.md.\n`,
      )
    }
    expect((await memory('query', 'Has ADR-005 been accepted?')).out).toBe('No (Status: Draft)\n')
    expect(await refused('memory', 'adr', 'accept', 'ADR-005', '--agent', 'chatgpt')).toMatchObject({
      exit: 1,
      code: 'not_allowed',
    })
    expect((await memory('adr', 'accept', 'ADR-005', '--agent', 'claude')).out).toBe('ADR-005 is accepted.\n')
    expect((await memory('adr', 'accept', 'ADR-004')).code).toBe(0)
    expect((await memory('query', 'accepted', 'ADR-005')).out).toBe('Yes (Status: Accepted)\n')
    expect((await memory('query', 'accepted', 'ADR-099')).out).toBe('unknown\n')
    expect(
      await refused(
        'memory',
        'adr',
        'propose',
        'ADR-005',
        '--agent',
        'chatgpt',
        '--file',
        write('draft.md', adrText('ADR-005')),
      ),
    ).toMatchObject({
      exit: 1,
      code: 'invalid_state',
    })
    expect((await memory('adr', 'link', 'ADR-005', 'depends_on', 'ADR-004')).code).toBe(0)
    expect(await refused('memory', 'adr', 'link', 'ADR-004', 'depends_on', 'ADR-005')).toMatchObject({
      exit: 1,
      code: 'dependency_cycle',
    })
    expect((await memory('adr', 'graph')).out).toBe(
      'ADR-004 (Accepted)\n\nADR-005 (Accepted)\n  └─ depends_on: ADR-004\n',
    )
    expect((await memory('adr', 'supersede', 'ADR-004', '--by', 'ADR-005')).out).toBe('ADR-004 is superseded.\n')
    expect((await memory('adr', 'list')).out).toContain('ADR-004  Superseded  Keep a chain of hashes')
    expect(await json('memory', 'adr', 'list')).toMatchObject([
      { id: 'ADR-004', status: 'Superseded' },
      { id: 'ADR-005', status: 'Accepted' },
    ])
    expect((await memory('adr', 'show', 'ADR-005')).out).toBe(adrText('ADR-005', 'Accepted'))
    expect(read('context/decisions/adr/ADR-004.md')).toBe(adrText('ADR-004', 'Accepted'))
    expect((await memory('verify')).code).toBe(0)
  })

  it('makes verify exit with 1 for an error or an incomplete hand-off, and with 0 for warnings', async () => {
    const { memory, write, core } = terminal
    expect((await memory('handoff', 'claude', 'chatgpt', '--file', write('goal.md', '## Context\nx\n'))).out).toContain(
      'The goal has no Current state, Open question, Constraints, Success criteria.',
    )
    const said = await memory('verify')
    expect([said.code, said.out]).toEqual([
      1,
      'context/agents/chatgpt/goal.md:1: the hand-off to chatgpt is incomplete: context/meta/summary.md is not newer than the goal; update it.\n',
    ])
    writeFileSync(join(core.root, 'context/meta/summary.md'), '# Now\n')
    expect((await memory('verify')).code).toBe(0)
    writeFileSync(join(core.root, 'context/decisions/decisions-log.md'), 'ADR-001 (Draft)\n')
    expect(await memory('verify')).toMatchObject({
      code: 0,
      out: 'warning: context/decisions/decisions-log.md:1: ADR-001 has no file in context/decisions/adr.\n',
    })
  })

  it('makes load print exactly the text of a context', async () => {
    const { memory, json, read, write } = terminal
    expect((await memory('load', 'session-start')).out).toBe(
      `--- context/meta/summary.md ---\n${read('context/meta/summary.md')}\n--- context/meta/handoff-protocol.md ---\n${read('context/meta/handoff-protocol.md')}`,
    )
    await memory('handoff', 'claude', 'chatgpt', '--file', write('goal.md', '## Context\n\u001b[2Jx\n'))
    expect((await memory('load', 'handoff', 'chatgpt')).out).toBe(
      '--- context/agents/chatgpt/goal.md ---\n## Context\nx\n',
    )
    expect(await json('memory', 'load', 'handoff', 'chatgpt')).toEqual({
      files: [{ path: 'context/agents/chatgpt/goal.md', content: '## Context\n\u001b[2Jx\n' }],
      missing: [],
    })
    expect((await memory('load', 'adr', 'ADR-001')).code).toBe(1)
    expect((await memory('load', 'everything')).code).toBe(2)
  })

  it('completes a phase, and answers queries from the summary', async () => {
    const { memory, core } = terminal
    writeFileSync(
      join(core.root, 'context/meta/summary.md'),
      '## Phase Status\n### In Progress\n- Phase 0.1: ADR-004, ADR-005, ADR-006\n',
    )
    await memory('log', 'note', 'x=1', '--agent', 'claude')
    expect((await memory('phase', 'complete', '0.1')).out).toMatch(
      /^Phase 0\.1 is complete\. 1 event moved to \.claude\/sessions\/archive\/working-0\.1-\S+\.jsonl\.\n$/,
    )
    expect((await memory('query', 'Which ADRs apply to Phase 0.1?')).out).toBe('ADR-004, 005, 006\n')
    expect((await memory('query', 'adrs', '0.1')).out).toBe('ADR-004, 005, 006\n')
    expect((await memory('phase', 'complete', '0.1')).code).toBe(1)
  })

  it('makes compress measure the context, and do nothing at 140,000 tokens', async () => {
    const { memory, write, read } = terminal
    const files = ['--summary', write('summary.md', '# New\n'), '--details', write('details.md', '- read audit.ts\n')]
    expect((await memory('compress', '--tokens', '140000', ...files)).out).toBe(
      '140000 tokens are not above 140000; nothing was changed.\n',
    )
    expect(
      (await memory('compress', '--context', write('context.txt', 'x'.repeat(560_001)), ...files, '--agent', 'claude'))
        .code,
    ).toBe(0)
    expect(read('context/meta/summary.md')).toBe('# New\n')
    expect(read('context/meta/timeline.md')).toContain(' - claude - Context compressed\n- read audit.ts\n')
  })

  it('refuses an agent that writes in another name', async () => {
    const agent = await openMemory({ environment: { AISWARM_AGENT_ID: 'backend-1' }, actor: agentActor('backend-1') })
    expect(await agent.json('memory', 'timeline', 'x')).toMatchObject({ agent: 'backend-1' })
    expect(await agent.refused('memory', 'timeline', 'x', '--agent', 'claude')).toMatchObject({ code: 'not_allowed' })
    expect(
      await agent.refused('memory', 'handoff', 'claude', 'chatgpt', '--file', agent.write('goal.md', 'x\n')),
    ).toMatchObject({ code: 'not_owner' })
  })

  it('has a brief with the task of the board, and one without a task', async () => {
    const board = await openMemory()
    const { id } = await perform(
      board.core,
      createTask,
      { title: 'Chain hashes', personaId: 'implementer', acceptanceCriteria: ['tests pass'] },
      person,
    )
    await perform(board.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
    await perform(board.core, claimTask, { taskId: id, agentId: 'backend-1' }, person)
    mkdirSync(join(board.core.root, '.ai'))
    expect((await board.memory('brief', 'backend-1')).out).toBe(
      `## Current task\n1. Chain hashes (claimed)\n\n## Acceptance criteria\n- [ ] tests pass\n\n## Required verification\n- tests pass\n`,
    )
    expect(await board.json('memory', 'brief', 'backend-1')).toMatchObject({
      agent: 'backend-1',
      task: { id },
      leftOut: [],
    })
    expect((await board.memory('brief', 'nobody')).out).toBe('The brief of nobody is still empty.\n')
    expect((await board.memory('brief', '../x')).code).toBe(1)
    expect(existsSync(join(board.core.root, 'context'))).toBe(false)
  })

  it('makes resolve print the answer first, then the conflict', async () => {
    const { memory, core } = terminal
    await memory('timeline', 'x', '--agent', 'claude', '--note', 'storage: MySQL')
    writeFileSync(join(core.root, 'context/meta/summary.md'), '- storage: SQLite\n')
    expect((await memory('resolve', 'storage')).out).toBe(
      'SQLite\nconflict: context/meta/summary.md:1 (rank 1) says "SQLite", context/meta/timeline.md:4 (rank 3) says "MySQL"; the first one takes precedence.\n',
    )
  })

  it('has groups of commands inside a group', async () => {
    const { run } = terminal
    const { out, code } = await run('memory', 'adr', '--help')
    expect(code).toBe(0)
    for (const name of ['propose', 'accept', 'supersede', 'link', 'graph', 'list', 'show'])
      expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
    expect((await run('memory', '--help')).out).toMatch(/^ {2}adr /m)
    expect((await run('memory', 'adr', 'list', '--json', '--root', '/')).out).toBe('[]\n')
    const script = (await terminal.json<{ script: string }>('completion', 'bash')).script
    expect(script).toContain("'memory adr'")
  })
})
