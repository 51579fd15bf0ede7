import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { needs } from '../../support/needs.ts'
import { code, table } from '../../documents/tables.ts'
import { notRefused, openAttacked, reasonIn, type Result, runAttacks } from './attackers.ts'
import { type Aims, attacks, networkAttacks, services } from './attacks.ts'

// The table of docs/attacks.md: each attack with the sentence that came. `ATTACKS=write` writes it; otherwise each
// sentence must give the same reason as there, since its other words depend on the versions of the machine's programs.

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const page = resolve(import.meta.dirname, '../../../docs/attacks.md')
const marks = /(<!-- rows of attacks -->\n)[^]*(<!-- end of attacks -->)/

/** The places of this run by names that are the same in each. */
const named = (text: string, { root, folder, other, home, temporary, pid, token }: Aims, port: number): string =>
  [
    [root, 'REPOSITORY'],
    [folder, 'WORKTREE'],
    [other, 'OTHER'],
    [temporary, 'NOTE'],
    [home, 'HOME'],
    [token, 'TOKEN'],
    [`aiswarm-test-${process.pid}`, 'SERVICE'],
  ]
    .reduce((said, [from, to]) => said.replaceAll(from!, to!), text)
    .replace(new RegExp(`\\b${pid}\\b`, 'g'), 'PID')
    .replace(new RegExp(`\\b${port}\\b`, 'g'), 'PORT')
    .replace(/\bimplementer-(\d)+\b/g, (_, n) => (n === '1' ? 'AGENT' : 'OWN'))
    .replace(/^(?:attack\.sh|sh|\/bin\/sh): \d+: /, '')

interface Row {
  readonly attack: string
  readonly sentence: string
}

const rowsOf = (results: readonly Result[], aims: Aims, port: number): readonly Row[] =>
  results.map(({ line, words }) => ({
    attack: named(line, aims, port),
    sentence: named(words.replace(/^(?:attack\.sh|sh|\/bin\/sh): \d+: /, ''), aims, port),
  }))

const written = (groups: ReadonlyMap<string, readonly Row[]>): string =>
  [...groups]
    .map(
      ([about, rows]) =>
        `### Against ${about}\n\n${table(
          ['attack', 'sentence that came'],
          rows.map(({ attack, sentence }) => [
            code(attack),
            sentence === '' ? '(nothing, for nothing is found)' : code(`"${sentence}"`),
          ]),
        )}\n\n`,
    )
    .join('')

/** The rows of the page, by the same names. */
const rowsIn = (text: string): readonly Row[] =>
  [...text.matchAll(/^\| `(.*)` \| (?:`"(.*)"`|\(nothing.*\)) \|$/gm)].map(([, attack, sentence = '']) => ({
    attack: attack!.replaceAll('\\|', '|'),
    sentence: sentence.replaceAll('\\|', '|'),
  }))

const reasonOf = ({ attack, sentence }: Row) => ({ attack, reason: reasonIn(sentence) })

test('each attack of the page is refused with the reason that the page names, and the page names each attack', async () => {
  const { port, name } = await services()
  const open = await openAttacked()
  const none = await openAttacked('sandbox: {network: none}')
  const listed = await openAttacked(
    'sandbox: {network: allowlist, hosts: [localhost, listed.example]}\nlimits: {memory: 80MB}',
  )
  const groups = new Map<string, readonly Row[]>()
  const add = async (about: string, swarm: typeof open, lines: readonly string[]): Promise<void> => {
    const results = await runAttacks(swarm, lines)
    expect(notRefused(results)).toEqual([])
    groups.set(about, rowsOf(results, swarm.aims, port))
  }
  for (const [about, lines] of Object.entries(attacks(open.aims))) await add(about, open, lines)
  await add('the network, with `network: none`', none, networkAttacks(port, name))
  await add('the network, with `network: allowlist`', listed, networkAttacks(port, name))
  await add('the memory, through files, with a limit of 80 MB', listed, [
    `head -c 200M /dev/zero > /tmp/full`,
    `head -c 200M /dev/zero > ${join(listed.aims.home, 'full')}`,
    `head -c 200M /dev/zero > /run/full`,
  ])
  const text = readFileSync(page, 'utf8')
  if (process.env['ATTACKS'] === 'write')
    writeFileSync(page, text.replace(marks, `$1\n${written(groups).replaceAll('$', '$$$$')}$2`))
  const came = [...groups.values()].flat()
  expect(came.length).toBeGreaterThan(150)
  expect(came.map(reasonOf)).toEqual(rowsIn(readFileSync(page, 'utf8')).map(reasonOf))
})
