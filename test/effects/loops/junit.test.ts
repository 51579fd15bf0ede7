import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { superviseHeadless } from '../../../src/effects/loops/headless.ts'
import { junitText, writeReport } from '../../../src/effects/loops/junit.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import type { Result } from '../../../src/operations/sessions/results.ts'
import { listSessions } from '../../../src/operations/sessions/sessions.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { leavingBoard } from '../../support/unreachable-store.ts'
import { openSwarm, read, until, write } from '../swarm.ts'

const result = (change: Partial<Result> = {}): Result => ({
  id: 1,
  title: 'A',
  personaId: 'implementer',
  status: 'completed',
  attempt: 1,
  seconds: 1.5,
  error: null,
  without: null,
  notes: [],
  ...change,
})
const text = (...results: Result[]) => junitText({ name: 'session-1', startedAt: '2026-01-30T14:22:33.000Z', results })
const note = (message: string): Result['notes'][number] => ({
  id: 1,
  taskId: 1,
  agentId: 'a',
  level: 'info',
  message,
  attempt: 1,
  percent: null,
  loggedAt: '2026-01-30T14:22:33.000Z',
})

/** The reason why the text is not complete XML 1.0, or undefined. */
const whyNotXml = (xml: string): string | undefined => {
  const wrong = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.exec(xml)
  if (wrong) return `the character ${wrong[0].codePointAt(0)!.toString(16)}`
  const open: string[] = []
  const rest = xml
    .replace(/^<\?xml version="1.0" encoding="UTF-8"\?>/, '')
    .replace(
      /<(\/?)([a-z-]+)((?: [a-z]+="(?:[^<&"]|&(?:lt|gt|amp|quot|apos);)*")*)(\/?)>/g,
      (_, end: string, name: string, __, empty: string) => {
        if (end === '/' && open.pop() !== name) open.push(`wrong end of ${name}`)
        else if (end === '' && empty === '') open.push(name)
        return ''
      },
    )
  if (open.length > 0) return open.join(', ')
  return /[<]|&(?!(?:lt|gt|amp|quot|apos);)|]]>/.exec(rest)?.[0]
}

describe('a JUnit report', () => {
  it('has a test case per task, with its outcome', () => {
    expect(
      text(
        result({ notes: [note('done')] }),
        result({
          id: 2,
          title: 'B',
          personaId: 'tester',
          status: 'failed',
          error: 'exit code 3\nno luck',
          seconds: 61,
        }),
        result({ id: 3, title: 'C', status: 'pending', without: 'blocked by 2', seconds: 0 }),
      ),
    ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="aiswarm" tests="3" failures="1" errors="0" skipped="1" time="62.500">
  <testsuite name="session-1" timestamp="2026-01-30T14:22:33.000Z" tests="3" failures="1" errors="0" skipped="1" time="62.500">
    <testcase classname="implementer" name="A" time="1.500">
      <system-out>2026-01-30T14:22:33.000Z info a: done</system-out>
    </testcase>
    <testcase classname="tester" name="B" time="61.000">
      <failure message="exit code 3" type="failed">exit code 3
no luck</failure>
    </testcase>
    <testcase classname="implementer" name="C" time="0.000">
      <skipped message="blocked by 2"/>
    </testcase>
  </testsuite>
</testsuites>
`)
  })

  it('distinguishes tasks with the same title by their numbers', () => {
    expect(
      text(result(), result({ id: 2 }), result({ id: 3, title: 'B' }))
        .match(/name="[^"]*" time/g)
        ?.slice(1),
    ).toEqual(['name="A (task 1)" time', 'name="A (task 2)" time', 'name="B" time'])
  })

  it.each([
    ['markup', '</failure><x a="1"> & &amp; ]]> <![CDATA[ <!-- <?php'],
    ['control characters and colours', 'a\u0000\u0007\u001b[31mred\u001b[0m\u001b]0;title\u0007\b\u000b\u007f\u0085'],
    ['characters that XML forbids', '\ufffe\uffff\ud800 alone \udc00 alone \ud83d\ude00'],
    ['line breaks of every kind', 'a\r\nb\rc\u2028d\n\n'],
    ['more than a person reads', `${'x'.repeat(32_767)}\ud83d\ude00 and on`],
  ])('is valid XML even if an agent writes %s', (_, said) => {
    const xml = text(
      result({ title: said, personaId: said, error: said, notes: [note(said)], status: 'failed' }),
      result({ id: 2, title: said, without: said }),
    )
    expect(whyNotXml(xml)).toBeUndefined()
    expect(xml.length).toBeLessThan(120_000)
  })

  it('keeps every readable character', () => {
    expect(text(result({ error: 'a <b> & \u001b[31mred\u001b[0m ]]> ✓ 😀' }))).toContain(
      '>a &lt;b&gt; &amp; red ]]&gt; ✓ 😀</failure>',
    )
  })

  it('without tasks is still valid', () => {
    expect(whyNotXml(text())).toBeUndefined()
    expect(text()).toContain('tests="0"')
  })

  it('replaces the previous one completely', () => {
    const folder = temporaryFolder()
    write(folder, { 'junit.xml': 'old' })
    writeReport(join(folder, 'junit.xml'), { name: 's', startedAt: '', results: [result()] })
    expect(readdirSync(folder)).toEqual(['junit.xml'])
    expect(read(folder, 'junit.xml')).toMatch(/^<\?xml/)
  })
})

describe('a run with --report', () => {
  const run = (swarm: Awaited<ReturnType<typeof openSwarm>>, report: string) =>
    superviseHeadless(swarm.world, {
      untilIdle: true,
      maxParallel: null,
      report,
      line: () => {},
      signal: new AbortController().signal,
    })

  /** A run whose board goes away once its agent works. */
  const runWhile = async (
    swarm: Awaited<ReturnType<typeof openSwarm>>,
    report: string,
    untilBack: () => Promise<void>,
  ) => {
    const { state, world } = leavingBoard(swarm.world)
    const interrupt = new AbortController()
    const running = superviseHeadless(world, {
      untilIdle: true,
      maxParallel: null,
      report,
      line: () => {},
      signal: interrupt.signal,
    })
    running.catch(() => {})
    await until('the agent', async () => (await swarm.runs())[0]?.process === 'started')
    state.away = true
    await untilBack()
    return { running, back: () => (state.away = false), interrupt }
  }

  it('continues while the board is away for a moment, and writes its report', async () => {
    const swarm = await openSwarm()
    const path = join(temporaryFolder(), 'junit.xml')
    await swarm.task({ title: 'Long', command: 'until [ -e done ]; do sleep 0.01; done' })
    const { running, back } = await runWhile(swarm, path, () => sleep(2500))
    back()
    write(swarm.root, { done: '' })
    expect(await running).toMatchObject({ completed: 1 })
    expect(read(path)).toMatch(
      /tests="1" failures="0" errors="0".*\n.*\n *<testcase classname="implementer" name="Long"/,
    )
    expect(await perform(swarm.core, listSessions, {}, person)).toMatchObject([{ status: 'completed' }])
  })

  it('writes a report with an error if it is stopped while the board is away', async () => {
    const swarm = await openSwarm()
    const path = join(temporaryFolder(), 'junit.xml')
    await swarm.task({ title: 'Long', command: 'sleep 60' })
    const { running, interrupt } = await runWhile(swarm, path, () => sleep(500))
    interrupt.abort()
    expect((await refusal(running)).code).toBe('store_unreachable')
    const xml = read(path)
    expect(whyNotXml(xml)).toBeUndefined()
    expect(xml).toContain('tests="1" failures="0" errors="1"')
    expect(xml).toContain('<error message="The server does not answer." type="unknown"/>')
  })

  it('reports the tasks of its session', async () => {
    const swarm = await openSwarm({ config: 'session: {maxRetries: 0}\n' })
    const path = join(temporaryFolder(), 'junit.xml')
    await swarm.task({ title: 'Good', command: 'true' })
    await swarm.task({ title: 'Bad', personaId: 'tester', command: 'echo no luck; exit 3' })
    await swarm.task({ title: 'Blocked', command: 'true', dependencies: [2] })
    const { id } = await swarm.task({ title: 'Not wanted', dependencies: [2] })
    const before = run(swarm, path)
    await perform(swarm.core, cancelTask, { taskId: id, reason: 'no longer needed' }, person)
    await before
    const xml = read(path)
    expect(whyNotXml(xml)).toBeUndefined()
    expect(xml).toContain('<testsuites name="aiswarm" tests="4" failures="1" errors="0" skipped="2"')
    expect(xml).toMatch(/<testcase classname="implementer" name="Good" time="\d+\.\d{3}"(\/>|>\s*<system-out>)/)
    expect(xml).toMatch(
      /<testcase classname="tester" name="Bad" time="\d+\.\d{3}">\s*<failure message="[^"]+" type="failed">/,
    )
    expect(xml).toMatch(/name="Blocked" time="0.000">\s*<skipped message="blocked by 2"\/>/)
    expect(xml).toMatch(/name="Not wanted" time="0.000">\s*<skipped message="cancelled: no longer needed"\/>/)
    // A later run has a session of its own; earlier tasks do not belong to it.
    await perform(swarm.core, cancelTask, { taskId: 3 }, person)
    await swarm.task({ title: 'New', command: 'true' })
    await run(swarm, path)
    expect([...read(path).matchAll(/testcase .* name="([^"]*)"/g)].map((match) => match[1])).toEqual(['New'])
  })

  it.each([
    [
      'a folder that is not there',
      (folder: string) => join(folder, 'reports', 'junit.xml'),
      /^There is no folder .*reports for the report; create it first\.$/,
    ],
    [
      'a folder',
      (folder: string) => folder,
      /is not a regular file, so no report can be written to it; name another\.$/,
    ],
    ['a device', () => '/dev/null', /^\/dev\/null is not a regular file, so no report can be written to it/],
  ])('does not start if the report would go to %s', async (_, path, sentence) => {
    const swarm = await openSwarm()
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'other'))
    await swarm.task({ command: 'true' })
    const { code, message } = await refusal(run(swarm, path(folder)))
    expect(code).toBe('not_writable')
    expect(message).toMatch(sentence)
    expect((await swarm.show(1)).status).toBe('pending')
    expect(existsSync('/dev/null')).toBe(true)
  })
})
