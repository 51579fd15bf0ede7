import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  block,
  completeTask,
  decide,
  observe,
  recordFact,
  resolveBlocker,
  setContext,
  setPlan,
} from '../../../src/memory/working-memory/changes.ts'
import {
  keepWithinLimits,
  limits,
  parseMemory,
  renderMemory,
  type WorkingMemory,
} from '../../../src/memory/working-memory/memory.ts'
import { WorkingMemoryStore } from '../../../src/memory/working-memory/store.ts'
import { temporaryFolder } from '../../support/core.ts'
import { at, empty, filesOf, noContext, observations } from './examples.ts'

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((value) => value.trim() !== '')
const action = fc.oneof(
  fc.record({ what: fc.constant('observe' as const), text }),
  fc.record({ what: fc.constant('decide' as const), text }),
  fc.record({ what: fc.constant('block' as const), text }),
  fc.record({ what: fc.constant('resolve' as const), text }),
  fc.record({
    what: fc.constant('fact' as const),
    text,
    key: fc.constantFrom('a', 'b', '7', 'constructor'),
    critical: fc.boolean(),
  }),
  fc.record({ what: fc.constant('complete' as const), text }),
  fc.record({ what: fc.constant('plan' as const), text }),
  fc.record({ what: fc.constant('context' as const), text }),
)

/** A memory in which every section is full, so that each new entry archives another. */
const full: WorkingMemory = {
  ...empty,
  observations: observations(limits.observations),
  decisions: observations(limits.decisions).map(({ content, ...entry }) => ({
    ...entry,
    decision: content,
    reasoning: '',
  })),
  blockers: Array.from({ length: limits.blockers }, (_, n) => ({
    timestamp: at(n),
    blocker: `b${n}`,
    context: noContext,
    resolved: n % 7 === 0,
    resolution: null,
    resolvedAt: null,
  })),
  keyFacts: Object.fromEntries(
    Array.from({ length: limits.keyFacts }, (_, n) => [
      `k${n}`,
      { content: `f${n}`, timestamp: at(n), context: noContext, critical: n % 5 === 0 },
    ]),
  ),
  completedTasks: Array.from({ length: limits.completedTasks }, (_, n) => ({
    timestamp: at(n),
    taskId: `t${n}`,
    context: { storyId: null, epicId: null },
  })),
}

/** Every entry of a memory and its archive, as often as it occurs. */
const everything = (
  memory: WorkingMemory,
  archive: readonly { section: string; key?: string; entry: unknown }[],
): readonly string[] => {
  const said = (section: string, entry: unknown, key?: string): string => {
    // A blocker may be resolved after it was written.
    const { resolved: _, resolution: __, resolvedAt: ___, ...same } = entry as Record<string, unknown>
    return JSON.stringify([section, key ?? null, section === 'blockers' ? same : entry])
  }
  return [
    ...(['observations', 'decisions', 'blockers', 'completedTasks'] as const).flatMap((section) =>
      memory[section].map((entry) => said(section, entry)),
    ),
    ...Object.entries(memory.keyFacts).map(([key, entry]) => said('keyFacts', entry, key)),
    ...archive.filter(({ section }) => section !== 'plan').map(({ section, entry, key }) => said(section, entry, key)),
  ].sort()
}

it('memory and archive together contain every entry exactly once', () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: 12 }), (actions) => {
      const root = temporaryFolder()
      const store = new WorkingMemoryStore({ base: root, path: '.ai' }, (_, work) => work())
      store.update('dev', () => ({ memory: full, leaving: [] }), at(0))
      const expected = [...everything(full, [])]
      let now = 1000
      const plans: string[][] = []
      for (const act of actions) {
        const time = at(now++)
        const { memory: before } = filesOf(root)
        const { currentContext, blockers } = before!
        const context = { ...currentContext }
        const open = blockers.find(({ resolved }) => !resolved)
        if (act.what === 'resolve' && !open) continue
        store.update(
          'dev',
          (memory) => {
            if (act.what === 'observe') return observe(memory, act.text, time)
            if (act.what === 'decide') return decide(memory, act.text, act.text, time)
            if (act.what === 'block') return block(memory, act.text, time)
            if (act.what === 'resolve') return resolveBlocker(memory, open!.blocker, act.text, time)
            if (act.what === 'fact')
              return recordFact(memory, { key: act.key, content: act.text, critical: act.critical }, time)
            if (act.what === 'complete') return completeTask(memory, act.text, time)
            if (act.what === 'plan') return setPlan(memory, [act.text], time)
            return setContext(memory, { storyId: act.text }, time)
          },
          time,
        )
        if (act.what === 'observe')
          expected.push(JSON.stringify(['observations', null, { timestamp: time, content: act.text, context }]))
        if (act.what === 'decide')
          expected.push(
            JSON.stringify(['decisions', null, { timestamp: time, decision: act.text, reasoning: act.text, context }]),
          )
        if (act.what === 'block')
          expected.push(JSON.stringify(['blockers', null, { timestamp: time, blocker: act.text, context }]))
        if (act.what === 'fact')
          expected.push(
            JSON.stringify([
              'keyFacts',
              act.key,
              { content: act.text, timestamp: time, context, ...(act.critical ? { critical: true } : {}) },
            ]),
          )
        if (act.what === 'complete')
          expected.push(
            JSON.stringify([
              'completedTasks',
              null,
              { timestamp: time, taskId: act.text, context: { storyId: context.storyId, epicId: context.epicId } },
            ]),
          )
        if (act.what === 'plan') plans.push([act.text])
      }
      const { memory, archive } = filesOf(root)
      expect(everything(memory!, archive)).toEqual(expected.sort())
      for (const section of ['observations', 'decisions', 'blockers', 'completedTasks'] as const)
        expect(memory![section].length).toBeLessThanOrEqual(limits[section])
      expect(Object.keys(memory!.keyFacts).length).toBeLessThanOrEqual(limits.keyFacts)
      const written = [
        ...archive.filter(({ section }) => section === 'plan').map(({ entry }) => (entry as { plan: string[] }).plan),
        ...(memory!.plan.length > 0 ? [memory!.plan] : []),
      ]
      expect(written).toEqual(plans)
      expect(parseMemory(Buffer.from(renderMemory(memory!)), 'm')).toEqual(memory)
    }),
    { numRuns: 60 },
  )
})

it('hygiene splits a memory of any size and loses no entry', () => {
  const sizes = fc.tuple(
    fc.nat(260),
    fc.nat(80),
    fc.array(fc.boolean(), { maxLength: 80 }),
    fc.array(fc.boolean(), { maxLength: 220 }),
    fc.nat(300),
  )
  fc.assert(
    fc.property(sizes, ([observed, decided, blocked, facts, completed]) => {
      const large: WorkingMemory = {
        ...empty,
        observations: observations(observed),
        decisions: observations(decided).map(({ content, ...entry }) => ({
          ...entry,
          decision: content,
          reasoning: '',
        })),
        blockers: blocked.map((resolved, n) => ({ timestamp: at(n), blocker: `b${n}`, context: noContext, resolved })),
        keyFacts: Object.fromEntries(
          facts.map((critical, n) => [`k${n}`, { content: `f${n}`, timestamp: at(n), context: noContext, critical }]),
        ),
        completedTasks: Array.from({ length: completed }, (_, n) => ({
          timestamp: at(n),
          taskId: `t${n}`,
          context: {},
        })),
      }
      const { memory, leaving } = keepWithinLimits(large)
      expect(everything(memory, leaving)).toEqual(everything(large, []))
      const gone = leaving.flatMap(({ section, entry }) =>
        section === 'blockers' ? [(entry as { resolved: boolean }).resolved] : [],
      )
      // No open blocker is archived while a resolved one remains.
      if (gone.includes(false)) expect(memory.blockers.some(({ resolved }) => resolved)).toBe(false)
      const critical = leaving.some(
        ({ section, entry }) => section === 'keyFacts' && (entry as { critical: boolean }).critical,
      )
      if (critical) expect(Object.values(memory.keyFacts).every((fact) => fact.critical)).toBe(true)
      expect(keepWithinLimits(memory)).toEqual({ memory, leaving: [] })
    }),
  )
})
