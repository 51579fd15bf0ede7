import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listAdrs, readGraph, showAdr } from '../../../src/memory/project-memory/adrs.ts'
import { acceptAdr, linkAdrs, proposeAdr, supersedeAdr } from '../../../src/memory/project-memory/decisions.ts'
import { resolveSubject } from '../../../src/memory/project-memory/resolve.ts'
import { verifyProjectMemory } from '../../../src/memory/project-memory/verify.ts'
import { adrText, project, refusalOf } from './project.ts'

const log = 'context/decisions/decisions-log.md'
const path = (id: string): string => `context/decisions/adr/${id}.md`

describe('a draft', () => {
  it('is written as proposed and gets its node', () => {
    const { propose, read, place } = project()
    expect(propose('ADR-005')).toEqual({
      id: 'ADR-005',
      title: 'Keep a chain of hashes',
      status: 'Draft',
      path: path('ADR-005'),
    })
    expect(read(path('ADR-005'))).toBe(adrText('ADR-005'))
    expect(read(log)).toBe('# Decisions Log\n\nADR-005 (Draft)\n')
    expect(verifyProjectMemory(place)).toEqual({ findings: [], warnings: [] })
  })

  it('is rewritten only by its author, by the owner of drafts and by a person', () => {
    const { propose, read } = project()
    propose('ADR-005', 'backend-1')
    expect(refusalOf(() => propose('ADR-005', 'backend-2', adrText('ADR-005', 'Proposed')))).toEqual({
      code: 'not_owner',
      message: 'ADR-005 is the draft of backend-1, and you are backend-2; it was not changed.',
    })
    expect(read(path('ADR-005'))).toBe(adrText('ADR-005'))
    for (const writer of ['backend-1', 'chatgpt', 'human'])
      propose('ADR-005', writer, `${adrText('ADR-005')}${writer}\n`)
    expect(read(path('ADR-005'))).toContain('human\n')
  })

  it('belongs to its owner: agents that own other files write no drafts, and no agent may change a draft without an author', () => {
    const { propose, write, read } = project()
    expect(refusalOf(() => propose('ADR-005', 'lovable'))).toEqual({
      code: 'not_owner',
      message:
        'Only chatgpt may write drafts of decisions; you are lovable and own implementation-iterations, ui-decisions, build-results (memory.owners).',
    })
    write(path('ADR-006'), adrText('ADR-006'))
    for (const writer of ['claude', 'backend-1'])
      expect(refusalOf(() => propose('ADR-006', writer, `${adrText('ADR-006')}x\n`)).code).toBe('not_owner')
    expect(read(path('ADR-006'))).toBe(adrText('ADR-006'))
    propose('ADR-006', 'chatgpt', `${adrText('ADR-006')}x\n`)
    propose('ADR-007', 'human')
  })

  it('without a status gets one below its title', () => {
    const { propose, read } = project()
    propose('ADR-005', 'chatgpt', '# ADR-005: A title\n\nText\n')
    expect(read(path('ADR-005'))).toBe('# ADR-005: A title\n\n## Status\nDraft\n\nText\n')
  })

  it('is refused with another id, without a title, if it is already accepted, or under a name that leaves the folder', () => {
    const { place, files } = project()
    const before = files()
    const refused = (id: string, text: string) => refusalOf(() => proposeAdr(place, { id, text }, 'chatgpt')).code
    expect(refused('ADR-005', adrText('ADR-006'))).toBe('file_unreadable')
    expect(refused('ADR-005', 'Text\n')).toBe('file_unreadable')
    expect(refused('ADR-005', adrText('ADR-005', 'Accepted'))).toBe('invalid_state')
    for (const id of ['../x', '/etc/passwd', 'ADR-', 'a b', 'ADR-1/../2', ''])
      expect(refused(id, adrText('ADR-005'))).toBe('invalid_name')
    expect(files()).toEqual(before)
  })
})

describe('the status of a decision', () => {
  it('can conflict: resolve and verify report both sources', () => {
    const { accepted, propose, write, read, place } = project()
    accepted('ADR-005')
    propose('ADR-006')
    const at = (text: string, line: string): number => text.split('\n').indexOf(line) + 1
    write(
      'context/meta/timeline.md',
      `${read('context/meta/timeline.md')}\n## 2026-01-04T01:05:00.000Z - claude - Talk\n- ADR-005: Rejected\n`,
    )
    write(
      'context/meta/summary.md',
      `${read('context/meta/summary.md')}\n- ADR-006: Accepted\n- ADR-005: keeps a chain of hashes\n`,
    )
    const [told, meta] = [read('context/meta/timeline.md'), read('context/meta/summary.md')]
    const five = resolveSubject(place, 'adr-005')
    expect([
      five.answer.value,
      five.conflicts.map(({ against }) => [against.path, against.line, against.value]),
    ]).toEqual(['Accepted', [['context/meta/timeline.md', at(told, '- ADR-005: Rejected'), 'Rejected']]])
    const six = resolveSubject(place, 'ADR-006')
    expect([
      six.answer.path,
      six.answer.line,
      six.conflicts.map(({ against }) => [against.path, against.value]),
    ]).toEqual(['context/meta/summary.md', at(meta, '- ADR-006: Accepted'), [[path('ADR-006'), 'Draft']]])
    const problems = verifyProjectMemory(place).findings.map((one) => `${one.path}: ${one.problem}`)
    expect(problems.filter((problem) => problem.includes('is contradictory'))).toEqual([
      expect.stringMatching(
        /^context\/meta\/timeline\.md: the status of ADR-005 is contradictory: context\/decisions\/adr\/ADR-005\.md:\d+ \(rank 2\) says "Accepted", context\/meta\/timeline/,
      ),
      expect.stringMatching(
        /^context\/decisions\/adr\/ADR-006\.md: the status of ADR-006 is contradictory: context\/meta\/summary\.md:\d+ \(rank 1\) says "Accepted"/,
      ),
    ])
  })

  it('does not conflict if all sources agree', () => {
    const { accepted, write, read, place } = project()
    accepted('ADR-005')
    write('context/meta/summary.md', `${read('context/meta/summary.md')}\n- ADR-005: accepted, see its file\n`)
    expect(resolveSubject(place, 'ADR-005').conflicts).toEqual([])
    expect(verifyProjectMemory(place).findings).toEqual([])
  })
})

describe('an acceptance', () => {
  it('changes only the word of the status, and keeps the hash', () => {
    const { accepted, read, place } = project()
    accepted('ADR-005')
    expect(read(path('ADR-005'))).toBe(adrText('ADR-005', 'Accepted'))
    expect(read(log)).toContain('ADR-005 (Accepted)\n')
    expect(JSON.parse(read('context/meta/integrity.json'))).toMatchObject({
      adrs: {
        'ADR-005': {
          authors: ['chatgpt'],
          acceptedBy: 'claude',
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        },
      },
    })
    expect(verifyProjectMemory(place).findings).toEqual([])
  })

  it('is refused to the author unless the author is a person', () => {
    const { propose, place, read } = project()
    propose('ADR-005', 'backend-1')
    propose('ADR-005', 'chatgpt')
    for (const author of ['backend-1', 'chatgpt'])
      expect(refusalOf(() => acceptAdr(place, 'ADR-005', author)).code).toBe('not_allowed')
    expect(read(path('ADR-005'))).toBe(adrText('ADR-005'))
    acceptAdr(place, 'ADR-005', 'human')
    propose('ADR-006', 'human')
    acceptAdr(place, 'ADR-006', 'human')
    expect(listAdrs(place).map(({ status }) => status)).toEqual(['Accepted', 'Accepted'])
  })

  it('is possible once, and only for an existing decision', () => {
    const { accepted, place } = project()
    accepted('ADR-005')
    expect(refusalOf(() => acceptAdr(place, 'ADR-005', 'claude')).code).toBe('invalid_state')
    expect(refusalOf(() => acceptAdr(place, 'ADR-006', 'claude')).code).toBe('not_found')
  })

  it('that a crash interrupted is completed by accepting again', () => {
    const { accepted, read, write, place } = project()
    accepted('ADR-005')
    write(path('ADR-005'), adrText('ADR-005'))
    write(log, '# Decisions Log\n\nADR-005 (Draft)\n')
    acceptAdr(place, 'ADR-005', 'claude')
    expect([read(path('ADR-005')), read(log)]).toEqual([
      adrText('ADR-005', 'Accepted'),
      '# Decisions Log\n\nADR-005 (Accepted)\n',
    ])
    expect(verifyProjectMemory(place).findings).toEqual([])
  })

  it('adopts a decision that was accepted before hashes existed', () => {
    const { write, place } = project()
    write(path('ADR-001'), adrText('ADR-001', 'Accepted'))
    expect(verifyProjectMemory(place)).toMatchObject({
      findings: [],
      warnings: [{ path: path('ADR-001'), line: 4 }, {}],
    })
    acceptAdr(place, 'ADR-001', 'claude')
    expect(verifyProjectMemory(place)).toEqual({ findings: [], warnings: [] })
  })
})

describe('an accepted decision', () => {
  it('never changes by a byte, whatever command is run', () => {
    const id = fc.constantFrom('ADR-001', 'ADR-002', 'ADR-003')
    const writer = fc.constantFrom('chatgpt', 'claude', 'backend-1', 'human')
    const step = fc.oneof(
      fc.record({ what: fc.constant('propose' as const), id, writer, text: fc.constantFrom('x', 'y') }),
      fc.record({ what: fc.constant('accept' as const), id, writer }),
      fc.record({ what: fc.constant('supersede' as const), id, by: id, writer }),
      fc.record({
        what: fc.constant('link' as const),
        id,
        to: id,
        key: fc.constantFrom('depends_on' as const, 'extends' as const, 'blocks' as const),
        writer,
      }),
    )
    let accepted = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { place, files, propose } = project()
        for (const one of ['ADR-001', 'ADR-002', 'ADR-003']) propose(one, 'chatgpt')
        const final = new Map<string, string>()
        const order = ['Draft', 'Accepted', 'Superseded']
        let before = new Map<string, string>()
        for (const one of steps) {
          try {
            if (one.what === 'propose')
              proposeAdr(place, { id: one.id, text: `${adrText(one.id)}${one.text}\n` }, one.writer)
            else if (one.what === 'accept') acceptAdr(place, one.id, one.writer)
            else if (one.what === 'supersede') supersedeAdr(place, { old: one.id, by: one.by }, one.writer)
            else linkAdrs(place, { from: one.id, key: one.key, to: one.to }, one.writer)
          } catch (error) {
            if ((error as Error).name !== 'Refusal') throw error
          }
          const now = files()
          for (const [name, bytes] of final) expect(now[name]).toBe(bytes)
          const after = new Map(listAdrs(place).map(({ id, status }) => [id, status as string]))
          for (const [id, status] of before)
            expect(order.indexOf(after.get(id)!)).toBeGreaterThanOrEqual(order.indexOf(status))
          for (const [id, status] of after) if (status === 'Accepted') final.set(path(id), now[path(id)]!)
          before = after
          expect(verifyProjectMemory(place).findings).toEqual([])
        }
        accepted += final.size
      }),
      { numRuns: 100 },
    )
    expect(accepted).toBeGreaterThan(50)
  })

  it('is not proposed again, and no earlier status is possible', () => {
    const { accepted, propose, place, files } = project()
    accepted('ADR-005')
    accepted('ADR-009')
    const before = files()
    expect(refusalOf(() => propose('ADR-005')).message).toBe(
      'ADR-005 is accepted and cannot change; propose a new decision that supersedes it.',
    )
    supersedeAdr(place, { old: 'ADR-005', by: 'ADR-009' }, 'chatgpt')
    expect(refusalOf(() => acceptAdr(place, 'ADR-005', 'claude')).message).toBe(
      'ADR-005 is superseded, which is final; propose a new decision.',
    )
    expect(refusalOf(() => propose('ADR-005')).code).toBe('invalid_state')
    expect(refusalOf(() => supersedeAdr(place, { old: 'ADR-009', by: 'ADR-005' }, 'chatgpt')).code).toBe(
      'invalid_state',
    )
    const after = files()
    for (const name of [path('ADR-005'), path('ADR-009')]) expect(after[name]).toBe(before[name])
  })

  it('that is edited by hand is found with file and line', () => {
    const { accepted, write, place } = project()
    accepted('ADR-005')
    const problem =
      'ADR-005 was changed after it was accepted, but an accepted decision cannot change; restore what claude accepted.'
    write(path('ADR-005'), adrText('ADR-005', 'Accepted').replace('hashes', 'hash values'))
    expect(verifyProjectMemory(place).findings).toEqual([{ path: path('ADR-005'), line: 4, problem }])
    write(path('ADR-005'), adrText('ADR-005'))
    expect(verifyProjectMemory(place).findings).toEqual([{ path: path('ADR-005'), line: 4, problem }])
  })

  it('that was accepted by hand or deleted is found', () => {
    const { propose, write, place, root } = project()
    propose('ADR-005')
    write(path('ADR-005'), adrText('ADR-005', 'Accepted'))
    expect(verifyProjectMemory(place).findings.map(({ problem }) => problem)).toEqual([
      'ADR-005 was accepted by hand; set it back to Draft, and let someone other than its author accept it.',
      `ADR-005 is Draft here and Accepted in ${path('ADR-005')}:4.`,
    ])
    expect(root).toBeTruthy()
  })
})

describe('a supersession', () => {
  it('changes only the graph, on both sides', () => {
    const { accepted, place, read } = project()
    accepted('ADR-005')
    accepted('ADR-009')
    supersedeAdr(place, { old: '5'.padStart(3, '0'), by: 'adr-009' }, 'chatgpt')
    expect(read(log)).toBe(
      '# Decisions Log\n\nADR-005 (Superseded)\n  └─ superseded_by: ADR-009\n\nADR-009 (Accepted)\n  └─ supersedes: ADR-005\n',
    )
    expect(showAdr(place, 'ADR-005').status).toBe('Superseded')
    expect(verifyProjectMemory(place)).toEqual({ findings: [], warnings: [] })
  })

  it('requires two accepted decisions', () => {
    const { accepted, propose, place } = project()
    accepted('ADR-005')
    propose('ADR-009')
    const code = (old: string, by: string) => refusalOf(() => supersedeAdr(place, { old, by }, 'chatgpt')).code
    expect(code('ADR-005', 'ADR-009')).toBe('invalid_state')
    expect(code('ADR-009', 'ADR-005')).toBe('invalid_state')
    expect(code('ADR-005', 'ADR-005')).toBe('invalid_input')
    expect(code('ADR-005', 'ADR-777')).toBe('not_found')
  })
})

describe('a link', () => {
  it('is drawn as in the seed, and a link that closes a cycle is refused and changes nothing', () => {
    const { accepted, propose, place, read } = project()
    accepted('ADR-004')
    accepted('ADR-005')
    propose('ADR-008')
    linkAdrs(place, { from: 'ADR-004', key: 'blocks', to: 'ADR-005' }, 'chatgpt')
    linkAdrs(place, { from: 'ADR-005', key: 'depends_on', to: 'ADR-004' }, 'chatgpt')
    linkAdrs(place, { from: 'ADR-005', key: 'extends', to: 'ADR-004' }, 'chatgpt')
    linkAdrs(place, { from: 'ADR-005', key: 'blocks', to: 'ADR-008' }, 'chatgpt')
    const drawn = read(log)
    expect(drawn).toContain(
      'ADR-005 (Accepted)\n  ├─ depends_on: ADR-004\n  ├─ extends: ADR-004\n  └─ blocks: ADR-008\n',
    )
    const refused = refusalOf(() => linkAdrs(place, { from: 'ADR-004', key: 'depends_on', to: 'ADR-008' }, 'chatgpt'))
    expect(refused.code).toBe('dependency_cycle')
    expect(refused.message).toContain('ADR-004 depends_on ADR-008 would create a cycle: ')
    expect(
      refusalOf(() => linkAdrs(place, { from: 'ADR-004', key: 'depends_on', to: 'ADR-004' }, 'chatgpt')).code,
    ).toBe('dependency_cycle')
    expect(refusalOf(() => linkAdrs(place, { from: 'ADR-777', key: 'blocks', to: 'ADR-004' }, 'chatgpt')).code).toBe(
      'not_found',
    )
    expect(read(log)).toBe(drawn)
  })

  it('without a target is a warning, and a hand-made cycle is a finding', () => {
    const { accepted, place, write } = project()
    accepted('ADR-004')
    linkAdrs(place, { from: 'ADR-004', key: 'blocks', to: 'ADR-099' }, 'chatgpt')
    expect(verifyProjectMemory(place)).toEqual({
      findings: [],
      warnings: [{ path: log, line: 4, problem: 'ADR-004 blocks ADR-099, which does not exist.' }],
    })
    write(log, '# Decisions Log\n\nADR-004 (Accepted)\n  └─ depends_on: ADR-004\n')
    expect(verifyProjectMemory(place).findings).toEqual([
      { path: log, line: 3, problem: 'decisions depend on each other in a cycle: ADR-004 → ADR-004.' },
    ])
  })

  it('in a corrupt graph is refused with the line, and the graph does not change', () => {
    const { propose, place, write, read } = project()
    write(log, 'ADR-004 (Accepted)\n\nADR-004 (Draft)\n')
    expect(refusalOf(() => propose('ADR-005')).message).toBe(`${log}:3: ADR-004 is already in line 1; write it once.`)
    expect(refusalOf(() => readGraph(place)).code).toBe('file_unreadable')
    expect(read(log)).toBe('ADR-004 (Accepted)\n\nADR-004 (Draft)\n')
    expect(verifyProjectMemory(place).findings[0]).toMatchObject({ path: log, line: 3 })
  })
})
