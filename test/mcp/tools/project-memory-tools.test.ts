import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { type Actor, client } from '../../../src/domain/agent/actor.ts'
import { projectMemoryTools } from '../../../src/mcp/tools/project-memory-tools.ts'
import { initProjectMemory } from '../../../src/memory/project-memory/init.ts'
import type { Outside } from '../../../src/contracts/outside.ts'
import type { Connection } from '../../../src/operations/perform/core.ts'
import { claimTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { adrText } from '../../memory/project-memory/project.ts'
import { agentActor, openCore, refusal } from '../../support/core.ts'

/** The tools on a real database and real files; every answer is validated against the tool's output schema. */
const openTools = async () => {
  const world = await openCore()
  const { core, root } = world
  initProjectMemory({ root, lock: withFileLock, clock: core.clock, owners: core.settings.memory.owners })
  const rows = projectMemoryTools(root, withFileLock, {})
  const validator = new AjvJsonSchemaValidator()
  const as =
    (actor: Actor) =>
    async (name: string, input: Record<string, unknown> = {}) => {
      const row = rows.find((one) => one.name === name)!
      const connection: Connection = { core, actor, outside: {} as Outside }
      const output = await row.call({ connection, input, options: {}, signal: new AbortController().signal })
      const checked = validator.getValidator(row.outputSchema!())(output)
      expect(checked.errorMessage ?? '').toBe('')
      return output as Record<string, never>
    }
  return {
    world,
    rows,
    as,
    claude: as(agentActor('claude')),
    chatgpt: as(agentActor('chatgpt')),
    root,
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
  }
}

describe('the tools of project memory', () => {
  it('are the actions of agents, each described for all clients', async () => {
    const { rows } = await openTools()
    expect(rows.map(({ name }) => name)).toEqual(
      'append_timeline propose_adr accept_adr supersede_adr log_event handoff query_project_memory load_memory get_brief compress_memory verify_project_memory'.split(
        ' ',
      ),
    )
    for (const row of rows) {
      expect(row.annotations.readOnlyHint === true || row.annotations.destructiveHint === false).toBe(true)
      expect(JSON.stringify([row.inputSchema(), row.outputSchema!()])).not.toContain('$ref')
    }
  })

  it('write in the name of the connected agent', async () => {
    const { claude, chatgpt, read } = await openTools()
    expect(await claude('append_timeline', { title: 'Verified', notes: ['all pass'] })).toMatchObject({
      agent: 'claude',
      title: 'Verified',
    })
    expect(
      await claude('log_event', { type: 'verification', fields: { test: 'hash-chain', status: 'PASSED' } }),
    ).toMatchObject({ type: 'verification', agent: 'claude' })
    await claude('log_event', { type: 'file_modified', fields: { path: 'audit.ts', added: 319 } })
    expect(
      await claude('query_project_memory', { question: 'What files were modified in current session?' }),
    ).toMatchObject({ answer: 'audit.ts (+319)' })
    expect(await chatgpt('handoff', { to: 'claude', goal: '## Context\nx\n' })).toMatchObject({
      from: 'chatgpt',
      to: 'claude',
      missing: ['Current state', 'Open question', 'Constraints', 'Success criteria'],
    })
    expect(read('context/agents/claude/goal.md')).toBe('## Context\nx\n')
    expect(await claude('load_memory', { what: 'handoff' })).toMatchObject({ files: [{ content: '## Context\nx\n' }] })
    expect(await claude('load_memory', { what: 'session-start' })).toMatchObject({ missing: [] })
    expect((await refusal(chatgpt('log_event', { type: 'verification', fields: {} }))).code).toBe('not_owner')
  })

  it('do not let an agent accept what it wrote', async () => {
    const { claude, chatgpt } = await openTools()
    expect(await chatgpt('propose_adr', { id: 'ADR-005', content: adrText('ADR-005') })).toMatchObject({
      status: 'Draft',
    })
    expect((await refusal(chatgpt('accept_adr', { id: 'ADR-005' }))).code).toBe('not_allowed')
    expect(await claude('query_project_memory', { question: 'Has ADR-005 been accepted?' })).toMatchObject({
      answer: 'No (Status: Draft)',
      accepted: false,
    })
    expect(await claude('accept_adr', { id: 'ADR-005' })).toMatchObject({ status: 'Accepted' })
    await chatgpt('propose_adr', { id: 'ADR-009', content: adrText('ADR-009') })
    await claude('accept_adr', { id: 'ADR-009' })
    expect(await chatgpt('supersede_adr', { old: 'ADR-005', by: 'ADR-009' })).toMatchObject({
      id: 'ADR-005',
      status: 'Superseded',
    })
    expect(await claude('load_memory', { what: 'adr', name: 'ADR-005' })).toMatchObject({
      files: [{ content: adrText('ADR-005', 'Accepted') }],
    })
    expect(await claude('verify_project_memory')).toEqual({ findings: [], warnings: [] })
  })

  it('accept writes only from agents, and reads from every client', async () => {
    const { as } = await openTools()
    for (const role of ['person', 'planner'] as const) {
      const call = as(client(role))
      expect((await refusal(call('append_timeline', { title: 'x' }))).code).toBe('not_owner')
      expect(await call('load_memory', { what: 'session-start' })).toMatchObject({ missing: [] })
      expect((await refusal(call('get_brief'))).code).toBe('invalid_input')
    }
  })

  it('refuse unknown values', async () => {
    const { claude } = await openTools()
    expect((await refusal(claude('append_timeline', { title: 'x', agent: 'codex' }))).code).toBe('invalid_input')
    expect((await refusal(claude('append_timeline', {}))).message).toMatch(/^append_timeline at title: /)
    expect((await refusal(claude('handoff', { to: '../x', goal: 'x' }))).code).toBe('invalid_name')
  })

  it('limit what an agent reads: of a summary of 1 MB it gets what fits, and the names of the rest', async () => {
    const { claude, root } = await openTools()
    const log = Array.from({ length: 18_000 }, (_, n) => `- step ${n} ${'x'.repeat(40)}`).join('\n')
    writeFileSync(
      join(root, 'context/meta/summary.md'),
      `# Summary\n\n## Now\n\nChain the hashes.\n\n## Log\n\n${log}\n\n## Later\n\nSign them.\n`,
    )
    const { files, leftOut } = (await claude('load_memory', { what: 'session-start' })) as unknown as {
      files: { path: string; content: string }[]
      leftOut: readonly string[]
    }
    expect(files.map(({ path }) => path)).toEqual(['context/meta/summary.md', 'context/meta/handoff-protocol.md'])
    expect(Buffer.byteLength(files[0]!.content)).toBeLessThanOrEqual(30_000)
    expect(files[0]!.content).toContain('Chain the hashes.')
    expect(files[0]!.content).toContain('- step 17999 ')
    expect(leftOut).toEqual([
      expect.stringMatching(/^context\/meta\/summary\.md: \d+ of 18003 lines of '## Log'$/),
      "context/meta/summary.md: '## Later'",
    ])
  })

  it('compress above 140,000 tokens', async () => {
    const { claude, read } = await openTools()
    const given = { summary: '# New\n', details: '- read audit.ts\n' }
    expect(await claude('compress_memory', { ...given, tokens: 140_000 })).toMatchObject({ compressed: false })
    expect(await claude('compress_memory', { ...given, tokens: 140_001 })).toMatchObject({
      compressed: true,
      context: '# New\n',
    })
    expect(read('context/meta/summary.md')).toBe('# New\n')
    expect(read('context/meta/timeline.md')).toContain('- read audit.ts\n')
  })

  it('brief an agent on the task that it holds and on earlier attempts', async () => {
    const { world, as } = await openTools()
    const { id } = await world.task({ title: 'Chain hashes', acceptanceCriteria: ['tests pass'] })
    const backend = await world.agent('backend-1')
    await world.perform(claimTask, { taskId: id, agentId: 'backend-1' }, backend)
    await world.perform(failTask, { taskId: id, errorMessage: 'no compiler' }, backend)
    world.pass(3_600_000)
    await world.perform(claimTask, { taskId: id, agentId: 'backend-1' }, backend)
    const brief = await as(backend)('get_brief')
    expect(brief['agent']).toBe('backend-1')
    for (const part of [`${id}. Chain hashes (claimed)`, '- [ ] tests pass', 'ended failed: no compiler'])
      expect(brief['text']).toContain(part)
    expect((await as(backend)('get_brief', { agent: 'claude' }))['text']).toContain('You own')
  })
})
