import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type DefaultTreeAdapterTypes as Tree, parse, type ParserError } from 'parse5'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { sum } from '../../../src/domain/session/plots.ts'
import { later } from '../../../src/domain/words/time.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import type { SessionReport } from '../../../src/operations/sessions/report.ts'
import { type Browser, openBrowser, type Page } from './browser.ts'
import { look, tamper } from '../../support/store.ts'
import { hostile, shortHostile, uncleanIn } from '../../ui/safety/families.ts'
import { now, openTerminal } from '../terminal.ts'

type Report = SessionReport & { readonly file: string }

/** A task title that an agent might use to attack the reader of the report. */
const evil = `</title></svg><script>document.title='taken'</script><img src=x onerror="document.title='taken'"> "'&amp; \u001b]52;c;QQ==\u0007\u202eright to left`

/** No input may contain it. */
const withoutNul = (text: string): string => text.replaceAll('\0', '')

const hour = 3_600_000
const started = later(now, -5 * hour)

/** A terminal on a session of five hours, whose attempts are written past the operations. */
const openSession = async ({ title = evil, goal = `Users can log in ${evil}` } = {}) => {
  const terminal = await openTerminal()
  const core = { ...terminal.core, clock: () => started }
  const session = await perform(core, beginSession, { goal }, person)
  for (let n = 1; n <= 12; n++)
    await perform(core, createTask, { title: n === 3 ? title : `Task ${n}`, personaId: 'implementer' }, person)
  const file = join(terminal.folder, 'shop', '.aiswarm', 'coordination.db')
  const agents = ['backend-1', 'frontend-1', 'a-tester-with-a-name-as-long-as-names-can-be-here-1']
  const outcomes = [
    'completed',
    'failed',
    'completed',
    'cancelled',
    'completed',
    'lost',
    'completed',
    'completed',
    'terminated',
    'completed',
    null,
    null,
  ]
  const attempts = outcomes.map((outcome, n) => {
    const claimed = later(started, n * 0.4 * hour)
    const ended = outcome === null ? 'NULL' : `'${later(claimed, (0.2 + (n % 3) * 0.15) * hour)}'`
    return `(${n + 1}, 1, '${agents[n % 3]!}', '${claimed}', ${ended}, ${outcome === null ? 'NULL' : `'${outcome}'`})`
  })
  tamper(
    file,
    `${agents.map((id) => `INSERT INTO agents (id, persona_id, kind, registered_at, last_heartbeat, status, process, run, once) VALUES ('${id}', 'implementer', 'claude', '${started}', '${started}', 'idle', 'none', 1, 0);`).join('')}
     INSERT INTO task_attempts (task_id, attempt, agent_id, claimed_at, ended_at, outcome) VALUES ${attempts.join(', ')};
     UPDATE task_status SET status = 'completed', completed_at = (SELECT ended_at FROM task_attempts WHERE task_attempts.task_id = task_status.task_id)
       WHERE task_id IN (SELECT task_id FROM task_attempts WHERE outcome = 'completed');
     ${agents.map((id, n) => `INSERT INTO agent_runs (agent_id, run, kind, started_at, ended_at, tokens_in, tokens_out, cost_usd) VALUES ('${id}', 1, 'claude', '${started}', '${later(started, (n + 1) * hour)}', ${(n + 1) * 120_000}, ${(n + 1) * 9000}, ${(n + 1) * 0.35});`).join('')}`,
  )
  return { ...terminal, session, database: file }
}

const inFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-report-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const elements = (node: Tree.Node): Tree.Element[] => [
  ...('tagName' in node ? [node] : []),
  ...('childNodes' in node ? node.childNodes.flatMap(elements) : []),
  ...('content' in node ? elements(node.content) : []),
]
const attribute = (element: Tree.Element, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value
const textOf = (node: Tree.Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''

const read = (file: string) => {
  const errors: ParserError[] = []
  const text = readFileSync(file, 'utf8')
  const all = elements(parse(text, { onParseError: (error) => errors.push(error) }))
  return {
    text,
    all,
    errors,
    named: (name: string) => all.filter(({ tagName }) => tagName === name),
    byId: (id: string) => all.find((each) => attribute(each, 'id') === id)!,
  }
}

describe('the report page', () => {
  test('is valid HTML that loads nothing', async () => {
    const { json } = await openSession()
    const { file } = await json<Report>('session', 'report', '--out', join(inFolder(), 'a.html'))
    const { all, errors, named, text } = read(file)
    expect(errors).toEqual([])
    expect(named('meta').map((meta) => attribute(meta, 'content'))).toContain(
      "default-src 'none'; style-src 'unsafe-inline'",
    )
    const loading = ['script', 'link', 'img', 'iframe', 'object', 'a', 'form', 'base', 'image', 'use', 'foreignObject']
    expect(all.map(({ tagName }) => tagName).filter((name) => loading.includes(name))).toEqual([])
    const attributes = all.flatMap(({ attrs }) => attrs)
    expect(
      attributes.filter(
        ({ name, value }) =>
          name.startsWith('on') ||
          ['src', 'href', 'xlink:href', 'srcset', 'action', 'style'].includes(name) ||
          /javascript:/i.test(value),
      ),
    ).toEqual([])
    expect(text).not.toMatch(/https?:|@import|url\((?!#)/)
    const ids = attributes.filter(({ name }) => name === 'id').map(({ value }) => value)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('shows the texts of agents without sequences that a terminal or a browser would obey', async () => {
    const { json } = await openSession()
    const { file } = await json<Report>('session', 'report', '--out', join(inFolder(), 'a.html'))
    const { byId, named, text } = read(file)
    // oxlint-disable-next-line no-control-regex -- that there are none is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(textOf(named('h1')[0]!)).toContain("Users can log in </title></svg><script>document.title='taken'</script>")
    expect(textOf(byId('lanes'))).toContain(`<img src=x onerror="document.title='taken'"> "'&amp; ⟨202E⟩right to left`)
  })

  test('contains no tag and no hidden character from a hostile text', async () => {
    const breakOut = `</title></h1></td></svg>--><script>"'`
    const { json } = await openSession({
      title: withoutNul(`${breakOut}${shortHostile('title', 400)}`),
      goal: withoutNul(`${breakOut}${hostile('goal')}`),
    })
    const { file } = await json<Report>('session', 'report', '--out', join(inFolder(), 'a.html'))
    const { errors, named, text } = read(file)
    expect(errors).toEqual([])
    expect(named('script')).toEqual([])
    expect(text).toContain('evil-goal')
    expect(text).toContain('evil-title')
    expect(uncleanIn(text.replaceAll('\n', ' '))).toBe('')
  })

  test('draws the numbers of the rows, and every plot has a title, a description and a table of its numbers', async () => {
    const { json, database } = await openSession()
    const report = await json<Report>('session', 'report', '--out', join(inFolder(), 'a.html'))
    const { byId, named } = read(report.file)
    const rows = look<{ outcome: string | null; n: number }>(
      database,
      'SELECT outcome, count(*) AS n FROM task_attempts GROUP BY outcome',
    )
    const [usage] = look<{ tokens: number; cost: number }>(
      database,
      'SELECT sum(tokens_in + tokens_out) AS tokens, sum(cost_usd) AS cost FROM agent_runs',
    )
    const of = (...outcomes: string[]): number =>
      sum(rows.filter(({ outcome }) => outcomes.includes(outcome!)).map(({ n }) => n))
    const drawn = (figure: string): number =>
      sum(elements(byId(figure)).flatMap((each) => Number(attribute(each, 'data-value') ?? 0)))
    const tabled = (figure: string): number =>
      sum(
        elements(byId(figure)).flatMap((each) =>
          each.tagName === 'td' && attribute(each, 'class') === 'number' ? [Number(textOf(each))] : [],
        ),
      )
    const expected = {
      completed: of('completed'),
      failed: of('failed', 'lost'),
      tokens: usage!.tokens,
      cost: usage!.cost,
    }
    for (const [figure, value] of Object.entries(expected)) {
      expect(drawn(figure), figure).toBeCloseTo(value, 9)
      expect(tabled(figure), figure).toBeCloseTo(value, 9)
    }
    expect(expected.completed).toBe(6)
    expect([textOf(byId('tokens')), textOf(byId('cost'))]).toEqual([
      expect.stringContaining('drawn where agents reported them'),
      expect.stringContaining('the cost of a run is drawn where its tokens are'),
    ])
    const open = elements(byId('burn-down')).flatMap((each) => attribute(each, 'data-open') ?? [])
    expect(open.map(Number)).toEqual(report.tasks.open.slice(1))
    expect(open.at(-1)).toBe('6')
    const attempts = elements(byId('lanes')).flatMap((each) =>
      attribute(each, 'data-attempt') === undefined
        ? []
        : [`${attribute(each, 'data-attempt')} ${attribute(each, 'class')}`],
    )
    expect(attempts.sort()).toEqual(
      look<{ a: string }>(
        database,
        `SELECT task_id || '/' || attempt || ' ' || CASE WHEN outcome IN ('failed', 'lost') THEN 'failed' WHEN outcome IN ('cancelled', 'terminated') THEN 'stopped' ELSE coalesce(outcome, 'working') END AS a FROM task_attempts`,
      )
        .map(({ a }) => a)
        .sort(),
    )
    const plots = named('svg').filter((svg) => attribute(svg, 'role') === 'img')
    expect(plots).toHaveLength(named('figure').length)
    for (const svg of plots)
      for (const id of attribute(svg, 'aria-labelledby')!.split(' '))
        expect(textOf(byId(id)).length, id).toBeGreaterThan(5)
    for (const figure of named('figure')) expect(elements(figure).some(({ tagName }) => tagName === 'table')).toBe(true)
  })
})

describe('the report file', () => {
  test('is in a folder that git ignores, named after the session, and is replaced by the next one', async () => {
    const { run, session, core } = await openSession()
    const file = join(core.root, '.aiswarm', 'reports', `${session.id}.html`)
    for (const _ of ['first', 'next']) {
      const { code, out } = await run('session', 'report')
      expect([code, out.trim()]).toEqual([0, file])
    }
    expect(readdirSync(dirname(file))).toEqual([`${session.id}.html`])
  })

  test('is overwritten only with --force', async () => {
    const { run, refused, session } = await openSession()
    const file = join(inFolder(), 'mine.html')
    writeFileSync(file, 'mine')
    expect(await refused('session', 'report', '--out', file)).toEqual({
      exit: 1,
      code: 'path_exists',
      message: `${file} already exists. Overwrite it with --force, or name another file with --out.`,
    })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect((await run('session', 'report', session.id, '--out', file, '--force')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('<!doctype html>')
    expect(readdirSync(join(file, '..'))).toEqual(['mine.html'])
  })

  test('is refused for an invalid path, and nothing is left there', async () => {
    const { refused } = await openSession()
    const folder = inFolder()
    mkdirSync(join(folder, 'sub'))
    expect(await refused('session', 'report', '--out', join(folder, 'sub'))).toMatchObject({ code: 'path_exists' })
    expect(await refused('session', 'report', '--out', join(folder, 'none', 'a.html'))).toMatchObject({
      code: 'not_writable',
    })
    expect(await refused('session', 'report', 'session-0', '--out', join(folder, 'a.html'))).toMatchObject({
      code: 'not_found',
    })
    expect(readdirSync(folder, { recursive: true })).toEqual(['sub'])
  })
})

describe('the report page in a real browser', () => {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await openBrowser()
    if (!browser)
      process.stderr.write(
        'No headless browser is carried for this machine, and none is on PATH: the report is not drawn in this run.\n',
      )
  }, 600_000)
  afterAll(() => browser?.close())

  const openPage = async (): Promise<Page | undefined> => {
    const { json } = await openSession()
    const { file } = await json<Report>('session', 'report', '--out', join(inFolder(), 'a.html'))
    return browser?.open(pathToFileURL(file).href)
  }

  test('loads nothing, runs nothing and logs no error', async () => {
    const page = await openPage()
    if (!page) return
    expect(await page.evaluate('document.title')).toMatch(/^session-\d{8}-\d{6}: report$/)
    expect(page.requests).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('fits every width, with bars inside their plots as high as their numbers', async () => {
    const page = await openPage()
    if (!page) return
    for (const width of [320, 768, 1600]) {
      await page.show({ width })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width}`).toBeLessThanOrEqual(width)
      const outside = await page.evaluate<string[]>(
        `[...document.querySelectorAll('svg[role=img]')].flatMap((svg) => { const of = svg.getBoundingClientRect(); return [...svg.querySelectorAll('rect:not(pattern rect), line, text')].filter((e) => { const b = e.getBoundingClientRect(); return b.left < of.left - 1 || b.right > of.right + 1 || b.top < of.top - 1 || b.bottom > of.bottom + 1 }).map((e) => svg.id + e.outerHTML) })`,
      )
      expect(outside, `at ${width}`).toEqual([])
      const bars = await page.evaluate<[number, number][]>(
        `[...document.querySelectorAll('#completed rect')].map((e) => [Number(e.dataset.value), e.getBoundingClientRect().height])`,
      )
      for (const [value, height] of bars) expect(height / value).toBeCloseTo(bars[0]![1] / bars[0]![0], 1)
    }
  })

  test('follows the light or dark preference of the reader, and prints its numbers', async () => {
    const page = await openPage()
    if (!page) return
    const paper = `getComputedStyle(document.body).backgroundColor`
    await page.show({ width: 1000 })
    const light = await page.evaluate(paper)
    await page.show({ width: 1000, dark: true })
    expect([light, await page.evaluate(paper)]).toEqual(['rgb(255, 255, 255)', 'rgb(20, 24, 29)'])
    // A closed table is expanded on paper: about 20 px per row, without the rows of empty intervals.
    const height = 'document.body.scrollHeight'
    const closed = await page.evaluate<number>(height)
    await page.show({ width: 1000, media: 'print' })
    const [told, quiet] = await page.evaluate<[number, number]>(
      `[...'tr:not(.quiet)|tr.quiet'.split('|')].map((rows) => [...document.querySelectorAll(rows)].filter((row) => row.getBoundingClientRect().height > 15).length)`,
    )
    expect([quiet, told]).toEqual([0, await page.evaluate(`document.querySelectorAll('tr:not(.quiet)').length`)])
    expect(await page.evaluate(`document.querySelectorAll('tr.quiet').length`)).toBeGreaterThan(20)
    expect((await page.evaluate<number>(height)) - closed).toBeGreaterThan(0)
  })

  test('has readable contrast in both colour schemes', async () => {
    const page = await openPage()
    if (!page) return
    for (const dark of [false, true]) {
      await page.show({ width: 1000, dark })
      const colours = await page.evaluate<[string, string]>(
        `['h1', '.soft', 'svg text', 'summary', 'dt'].map((s) => { const e = document.querySelector(s); const c = getComputedStyle(e); return e instanceof SVGElement ? c.fill : c.color })`,
      )
      const ground = await page.evaluate<string>(`getComputedStyle(document.body).backgroundColor`)
      for (const colour of colours)
        expect(contrast(colour, ground), `${colour} on ${ground}`).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('is saved as pictures if AISWARM_PICTURES is set', async () => {
    const page = await openPage()
    const folder = process.env['AISWARM_PICTURES']
    if (!page || folder === undefined) return
    for (const [name, shown] of Object.entries({
      light: { width: 1100 },
      dark: { width: 1100, dark: true },
      narrow: { width: 360 },
      'narrow-dark': { width: 360, dark: true },
      print: { width: 800, media: 'print' as const },
    })) {
      await page.show(shown)
      writeFileSync(join(folder, `${name}.png`), await page.picture())
      expect(existsSync(join(folder, `${name}.png`)) && statSync(join(folder, `${name}.png`)).size).toBeGreaterThan(
        1000,
      )
    }
  })
})

/** The contrast ratio of WCAG 2: from 1 for equal colours to 21 for black on white. */
const contrast = (one: string, other: string): number => {
  const light = (colour: string): number => {
    const [r, g, b] = [...colour.matchAll(/[\d.]+/g)]
      .map(([value]) => Number(value) / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
  }
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b)
  return (bright! + 0.05) / (dark! + 0.05)
}
