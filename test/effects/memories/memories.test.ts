import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { memoriesOf } from '../../../src/effects/memories/memories.ts'
import { acceptAdr, linkAdrs, proposeAdr, supersedeAdr } from '../../../src/memory/project-memory/decisions.ts'
import { appendTimeline } from '../../../src/memory/project-memory/timeline.ts'
import { observe as observed } from '../../../src/memory/working-memory/changes.ts'
import { memoryPlace } from '../../../src/memory/working-memory/paths.ts'
import { WorkingMemoryStore } from '../../../src/memory/working-memory/store.ts'
import { start, temporaryFolder } from '../../support/core.ts'

/** A folder with memories, written as the commands write them. */
const repository = (environment: Record<string, string> = {}) => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  const place = { root, lock: withFileLock, clock: () => start, owners: defaultSettings.memory.owners }
  const store = new WorkingMemoryStore(memoryPlace(root, environment), withFileLock)
  const memories = memoriesOf({ root, clock: () => start, settings: defaultSettings }, environment)
  return {
    root,
    place,
    read: () => memories.read(),
    forget: () => memories.forget(),
    write: (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    observe: (agent: string, text: string) =>
      void store.update(agent, (memory) => observed(memory, text, start), start),
    decide: (id: string) => {
      proposeAdr(
        place,
        { id, text: `# ${id}: Keep tokens short\n\n## Status\nDraft\n\n## Decision\nFifteen minutes.\n` },
        'chatgpt',
      )
      acceptAdr(place, id, 'claude')
    },
  }
}

describe('the memories in files', () => {
  it('are empty before the first write, and stay the same object', async () => {
    const { read } = repository()
    const first = await read()
    expect(first).toEqual({
      working: [],
      workingProblem: null,
      decisions: { decisions: [], problems: [] },
      timeline: { entries: [], problems: [] },
    })
    expect(await read()).toBe(first)
  })

  it('are what the commands wrote', async () => {
    const { place, read, observe, decide } = repository()
    observe('dev', 'The API answers 500')
    for (const id of ['ADR-010', 'ADR-004', 'ADR-005']) decide(id)
    linkAdrs(place, { from: 'ADR-005', key: 'depends_on', to: 'ADR-004' }, 'human')
    supersedeAdr(place, { old: 'ADR-004', by: 'ADR-010' }, 'human')
    appendTimeline(place, { title: 'Login is done', notes: ['Tests pass'] }, 'claude')
    const { working, decisions, timeline } = await read()
    expect(working).toMatchObject([
      {
        agent: 'dev',
        path: '.ai/working_memory_dev.json',
        problem: null,
        notes: { observations: [{ content: 'The API answers 500' }] },
      },
    ])
    expect(decisions.decisions.map(({ id, status, title }) => [id, status, title])).toEqual([
      ['ADR-004', 'Superseded', 'Keep tokens short'],
      ['ADR-005', 'Accepted', 'Keep tokens short'],
      ['ADR-010', 'Accepted', 'Keep tokens short'],
    ])
    expect(decisions.decisions[1]).toMatchObject({
      path: 'context/decisions/adr/ADR-005.md',
      edges: [{ key: 'depends_on', targets: [{ id: 'ADR-004', note: null }] }],
    })
    expect(decisions.decisions[0]!.text).toContain('Fifteen minutes.')
    expect(timeline.entries).toMatchObject([
      { at: start, agent: 'claude', title: 'Login is done', notes: ['Tests pass'] },
    ])
  })

  it('are read again only after a file has changed', async () => {
    const { read, observe, decide } = repository()
    observe('dev', 'one')
    observe('qa', 'one')
    decide('ADR-004')
    const first = await read()
    expect(await read()).toBe(first)
    observe('dev', 'two')
    const second = await read()
    expect(second).not.toBe(first)
    expect(second.working[0]).toMatchObject({
      agent: 'dev',
      notes: { observations: [{ content: 'one' }, { content: 'two' }] },
    })
    expect(second.working[1]).toBe(first.working[1])
    expect(second.decisions).toBe(first.decisions)
    expect(second.timeline).toBe(first.timeline)
    decide('ADR-005')
    const third = await read()
    expect(third.working).toBe(second.working)
    expect(third.decisions.decisions.map(({ id }) => id)).toEqual(['ADR-004', 'ADR-005'])
  })

  it('are read again after a file of the same size and time was replaced', async () => {
    const { root, read, write } = repository()
    const path = 'context/meta/timeline.md'
    const entry = (title: string): string => `## 2026-01-30T14:22:33.000Z - dev - ${title}\n`
    const at = new Date('2026-01-30T14:22:33.000Z')
    write(path, entry('aaa'))
    utimesSync(join(root, path), at, at)
    expect((await read()).timeline.entries[0]!.title).toBe('aaa')
    rmSync(join(root, path))
    write(path, entry('bbb'))
    utimesSync(join(root, path), at, at)
    expect((await read()).timeline.entries[0]!.title).toBe('bbb')
  })

  it('are read again after they were released', async () => {
    const { read, forget, observe } = repository()
    observe('dev', 'one')
    const first = await read()
    forget()
    const second = await read()
    expect(second).toEqual(first)
    expect(second.working[0]).not.toBe(first.working[0])
  })

  it('disappear together with their files', async () => {
    const { root, read, observe, decide } = repository()
    observe('dev', 'one')
    decide('ADR-004')
    await read()
    rmSync(join(root, '.ai'), { recursive: true })
    rmSync(join(root, 'context'), { recursive: true })
    expect(await read()).toMatchObject({ working: [], decisions: { decisions: [] } })
  })

  it('of working memory are in BMAD_MEMORY_DIR', async () => {
    const { read, observe } = repository({ BMAD_MEMORY_DIR: 'notes' })
    observe('dev', 'one')
    expect((await read()).working).toMatchObject([{ agent: 'dev', path: 'notes/working_memory_dev.json' }])
  })
})

describe('an unreadable memory', () => {
  it('is reported in one sentence with its file and line, and hides nothing else', async () => {
    const { read, write, observe, decide } = repository()
    observe('dev', 'one')
    decide('ADR-004')
    write('.ai/working_memory_qa.json', '{\n  "agentName": "qa",\n  oops\n}\n')
    write('.ai/working_memory_empty.json', '')
    write('context/decisions/adr/ADR-007.md', 'no title\n')
    write('context/meta/timeline.md', '## 2026-01-30T14:22:33.000Z - dev - Fine\n\n## yesterday\n')
    const { working, decisions, timeline } = await read()
    expect(working.map(({ agent, problem }) => [agent, problem])).toEqual([
      ['dev', null],
      ['empty', '.ai/working_memory_empty.json:1: the file is empty.'],
      ['qa', expect.stringMatching(/^\.ai\/working_memory_qa\.json:3: .+\.$/)],
    ])
    expect(decisions.problems).toEqual([
      expect.stringMatching(/^context\/decisions\/adr\/ADR-007\.md:1: the title is missing/),
    ])
    expect(decisions.decisions.map(({ id, path, title }) => [id, path, title])).toEqual([
      ['ADR-004', 'context/decisions/adr/ADR-004.md', 'Keep tokens short'],
      ['ADR-007', 'context/decisions/adr/ADR-007.md', null],
    ])
    expect(timeline.entries).toHaveLength(1)
    expect(timeline.problems).toEqual([expect.stringMatching(/^context\/meta\/timeline\.md:3: .* is not an entry/)])
  })

  it('is read again after its repair', async () => {
    const { read, write } = repository()
    write('context/decisions/decisions-log.md', 'ADR-004 (Perhaps)\n')
    expect((await read()).decisions.problems[0]).toMatch(/^context\/decisions\/decisions-log\.md:1: .*is not a status/)
    write('context/decisions/decisions-log.md', 'ADR-004 (Draft)\n')
    expect((await read()).decisions).toMatchObject({
      decisions: [{ id: 'ADR-004', status: 'Draft', path: null }],
      problems: [],
    })
  })

  it('can be a link, a folder in place of a file, or a folder that leads out of the repository', async () => {
    const { root, read, write } = repository()
    write('elsewhere/secret.md', '## 2026-01-30T14:22:33.000Z - dev - Secret\n')
    mkdirSync(join(root, '.ai/working_memory_dev.json'), { recursive: true })
    symlinkSync(join(root, 'elsewhere'), join(root, 'context'))
    symlinkSync(join(root, 'elsewhere/secret.md'), join(root, '.ai/working_memory_qa.json'))
    const { working, decisions, timeline } = await read()
    expect(working.map(({ agent, problem }) => [agent, problem])).toEqual([
      ['dev', '.ai/working_memory_dev.json is not a regular file; remove it.'],
      ['qa', '.ai/working_memory_qa.json is a symbolic link, which is not followed; replace it with the file.'],
    ])
    for (const problems of [decisions.problems, timeline.problems])
      expect(problems).toEqual(['context is a symbolic link, which is not followed; replace it with the folder.'])
  })

  it('is the whole of working memory if its folder leads out of the repository', async () => {
    const { root, read } = repository()
    mkdirSync(join(root, '../elsewhere'))
    symlinkSync(join(root, '../elsewhere'), join(root, '.ai'))
    expect(await read()).toMatchObject({
      working: [],
      workingProblem: '.ai leads out of the repository, so no memory is stored there.',
    })
  })
})
