import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../src/cli/commands/index.ts'
import { nouns } from '../src/cli/call/command.ts'
import { sources } from './architecture/sources.ts'
import { commandTables, environmentTable, exitCodeTable } from './documents/commands.ts'
import { catalogueModule, configurationTable, defaultsFile } from './documents/configuration.ts'
import { keyTables } from './documents/keys.ts'
import { manPage, paragraph } from './documents/man.ts'
import { blocksOf, pages, read, root } from './documents/pages.ts'
import { drawConsole } from './documents/picture.ts'
import { obeyedFilesTable, sandboxTable, testFilesTable } from './documents/sandbox.ts'
import { toolTables } from './documents/tools.ts'

// `npm run docs` writes what this compares.

/** The parts of pages that are generated from the code, by the name of their markers. */
const parts: Readonly<Record<string, () => string | Promise<string>>> = {
  keys: keyTables,
  commands: commandTables,
  'exit-codes': exitCodeTable,
  environment: environmentTable,
  configuration: configurationTable,
  defaults: defaultsFile,
  sandbox: sandboxTable,
  tests: testFilesTable,
  obeyed: obeyedFilesTable,
  tools: toolTables,
  picture: drawConsole,
}

const marked = /(<!-- ([a-z-]+) -->\n)[\s\S]*?(<!-- \/\2 -->)/g

const filled = async (text: string): Promise<string> => {
  const made = new Map<string, string>()
  for (const [, , name] of text.matchAll(marked)) made.set(name!, await parts[name!]!())
  return text.replace(marked, (whole, begin: string, name: string, end: string) =>
    made.has(name) ? `${begin}\n${made.get(name)}\n\n${end}` : whole,
  )
}

test.each(pages)('%s has the generated parts that npm run docs writes', async (page) => {
  await expect(await filled(read(page))).toMatchFileSnapshot(join(root, page))
})

test('every generated part is in exactly one page', () => {
  const found = pages.flatMap((page) => [...read(page).matchAll(marked)].map(([, , name]) => name!))
  expect(found.sort()).toEqual(Object.keys(parts).sort())
})

test('docs/aiswarm.1 is the man page that npm run docs writes', async () => {
  await expect(manPage()).toMatchFileSnapshot(join(root, 'docs/aiswarm.1'))
})

test('src/domain/settings/catalogue.ts is the module that npm run docs writes', async () => {
  await expect(catalogueModule()).toMatchFileSnapshot(join(root, 'src/domain/settings/catalogue.ts'))
})

describe('the man page', () => {
  test('escapes what roff would read as something else', () => {
    expect(paragraph('.aiswarm')).toBe('\\&.aiswarm')
    expect(paragraph("'a' --b ~/c ^d `e` f\\g")).toBe('\\(aqa\\(aq \\-\\-b \\(ti/c \\(had \\(gae\\(ga f\\eg')
    expect(paragraph('one… →')).toBe('one\\[u2026] \\[u2192]')
  })

  test('has only the requests of its sections, and only ASCII', () => {
    const requests = manPage()
      .split('\n')
      .flatMap((line) => /^[.'](\S*)/.exec(line)?.[1] ?? [])
    expect([...new Set(requests)].sort()).toEqual([
      'B',
      'BR',
      'PP',
      'RE',
      'RI',
      'RS',
      'SH',
      'TH',
      'TP',
      '\\"',
      'ad',
      'nh',
    ])
    expect(manPage()).toMatch(/^[\n\x20-\x7e]*$/)
  })
})

describe('README.md', () => {
  test('has at most 200 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200)
  })

  test('links to every page of docs/', () => {
    for (const page of pages.filter((path) => path.startsWith('docs/') && path !== 'docs/proof.md'))
      expect(read('README.md')).toContain(`](${page})`)
  })
})

/** The anchors of a page, as GitHub derives them from its headings. */
const anchorsOf = (page: string): readonly string[] =>
  withoutBlocks(read(page))
    .split('\n')
    .flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
    .map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )

const withoutBlocks = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '')

test.each(pages)('every link of %s resolves to a file, and to a heading in it', (page) => {
  const links = [...withoutBlocks(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !link.includes(':'))
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : resolve('/', dirname(page), path).slice(1)
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
})

/** Every command line in a page: in shell blocks and in running text. */
const commandLinesOf = (page: string): readonly string[] =>
  [
    ...blocksOf(page)
      .filter(({ language }) => language === 'sh' || language === 'console')
      .flatMap(({ text }) => text.split('\n')),
    ...[...withoutBlocks(read(page)).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!),
  ].filter((line) => line.startsWith('aiswarm '))

/** The options of every command. */
const common = ['--json', '--root', '--help', '--version']

/** The reason why there is no such command line, or undefined. */
const whyUnknown = (line: string): string | undefined => {
  const words = line
    .replace(/\s#\s.*$/, '')
    .split(/\s+/)
    .slice(1)
  const command = commands
    .filter(({ path }) => `${words.join(' ')} `.startsWith(`${path} `))
    .sort((a, b) => b.path.length - a.path.length)[0]
  if (!command)
    return common.includes(words[0]!) || Object.hasOwn(nouns, words.filter((word) => word !== '…').join(' '))
      ? undefined
      : `no command: ${line}`
  const known = [...common, ...Object.values(command.words).map(({ name }) => name)]
  const unknown = words
    .map((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1])
    .find((option) => option !== undefined && !known.includes(option))
  return unknown === undefined ? undefined : `no option ${unknown}: ${line}`
}

test.each(pages)('every aiswarm command in %s exists, with its options', (page) => {
  expect(commandLinesOf(page).flatMap((line) => whyUnknown(line) ?? [])).toEqual([])
})

test('an unknown aiswarm command in a page is detected', () => {
  expect(whyUnknown('aiswarm task ad x')).toBe('no command: aiswarm task ad x')
  expect(whyUnknown('aiswarm task list --wher x')).toBe('no option --wher: aiswarm task list --wher x')
  expect(whyUnknown("aiswarm task list --where 'state:failed' --json # all")).toBe(undefined)
})

test.each(pages)('every JSON block of %s is valid JSON', (page) => {
  for (const { text, language } of blocksOf(page))
    if (language === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow()
})

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('every path in %s exists', (page) => {
  const paths = [
    ...withoutBlocks(read(page)).matchAll(/`((?:src|test|components|bench|migrations|docs|\.ci)\/[^`]*)`/g),
    ...read(page).matchAll(/vitest run (\S+)/g),
  ].map(([, path]) => path!)
  expect(paths.length).toBeGreaterThan(5)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

/** The rooms of ARCHITECTURE.md: a table below a heading with a layer, whose rows name chapters of the room. */
const chaptersNamed = (page: string): readonly string[] => {
  let layer = ''
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('#')) layer = /`(src\/\w+\/)`: /.exec(line)?.[1] ?? 'src/'
    const [, room, chapters] = /^\| `([^`]+)`\s*\|[^|]*\|(.*)\|$/.exec(line) ?? []
    if (room === undefined) return []
    const folder = room === '.' ? layer : room === 'components/' ? room : `${layer}${room}`
    return [...chapters!.matchAll(/`([\w/.-]+\.tsx?)`/g)].map(([, chapter]) => `${folder}${chapter}`)
  })
}

test('every chapter that ARCHITECTURE.md names exists, and so does every function on its walks', () => {
  const page = read('ARCHITECTURE.md')
  const chapters = chaptersNamed(page)
  expect(chapters.length).toBeGreaterThan(150)
  expect(chapters.filter((path) => !existsSync(join(root, path)))).toEqual([])
  const walks = page.slice(page.indexOf('## Three walks'), page.indexOf('## The rooms'))
  const functions = new Set([...walks.matchAll(/`([a-z]\w*[A-Z]\w*)`/g)].map(([, name]) => name!))
  expect(functions.size).toBeGreaterThan(25)
  const declared = sources.map(({ text }) => text).join('\n')
  expect(
    [...functions].filter(
      (name) => !new RegExp(`\\b(?:const|class|function) ${name}\\b|readonly ${name}:`).test(declared),
    ),
  ).toEqual([])
})

test('every npm script in a page exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\bnpm (?:run ([a-z:]+)|(start|test)\b)/g)].map(([, script, short]) => script ?? short!),
  )
  expect(new Set(named).size).toBeGreaterThan(5)
  expect([...new Set(named)].filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
})
