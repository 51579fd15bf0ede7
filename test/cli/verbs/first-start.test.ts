import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { type Asked, askFirstStart } from '../../../src/cli/verbs/start.ts'
import type { StartAnswers, StartProposal } from '../../../src/contracts/first-start.ts'

const proposal: StartProposal = {
  root: '/shop',
  path: '/shop/.aiswarm/config.yaml',
  configured: false,
  targets: ['develop', 'main'],
  verifications: [
    { command: 'make check', setup: 'npm ci', from: 'Makefile' },
    { command: 'npm test', setup: 'npm ci', from: 'package.json' },
  ],
  agents: [
    { kind: 'codex', loggedIn: true },
    { kind: 'claude', loggedIn: false },
  ],
  missing: ['gemini'],
}

const [enter, escape, down] = ['\r', '\u001b', '\u001b[B']

/** Presses each key when its question is on the screen. */
const start = async (
  keys: readonly (readonly [question: string, ...keys: string[]])[],
  given: Partial<StartProposal> = {},
): Promise<{ asked: Asked; written: readonly StartAnswers[]; said: string }> => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 })
  let said = ''
  output.on('data', (piece: Buffer) => (said += stripVTControlCharacters(piece.toString())))
  const written: StartAnswers[] = []
  const asking = askFirstStart(
    { ...proposal, ...given },
    {
      input: input as unknown as NodeJS.ReadStream,
      output: output as unknown as NodeJS.WriteStream,
      preview: async ({ target, verify }) =>
        `# a comment\nintegration:\n  target: ${target} # a note\n  verify: ${verify}\n`,
      write: async (answers) => void written.push(answers),
    },
  )
  for (const [question, ...pressed] of keys) {
    await vi.waitFor(() => expect(said).toContain(question), { timeout: 20_000, interval: 5 })
    for (const key of pressed) {
      const before = said
      input.write(key)
      await vi.waitFor(() => expect(said).not.toBe(before), { timeout: 20_000, interval: 5 })
    }
  }
  return { asked: await asking, written, said }
}

describe('the first start', () => {
  it('asks three questions, shows the keys of the file, and writes it', async () => {
    const { asked, written, said } = await start([
      ['Which branch', enter],
      ['Which command', down, enter],
      ['Which agent', enter],
      ['Write this file?', enter],
    ])
    const answers = { target: 'develop', verify: 'npm test', setup: 'npm ci', agent: 'codex' }
    expect([asked, written]).toEqual([answers, [answers]])
    expect(said).toContain('  target: develop ')
    expect(said).not.toContain('a comment')
    expect(said).not.toContain('a note')
    expect(said).toContain('Written. Commit it on develop, so that the verification counts.')
  })

  it('asks nothing that has only one answer, and says that no agent is installed', async () => {
    const { asked, said } = await start(
      [
        ['Which command', enter],
        ['Write this file?', enter],
      ],
      { targets: ['master'], verifications: [], agents: [], missing: ['claude', 'codex'] },
    )
    expect(said).toContain('Approved work is merged into master')
    expect(said).toContain('No agent CLI was found (claude, codex).')
    expect(asked).toEqual({ target: 'master', verify: '', setup: '', agent: null })
  })

  it.each([
    ['Which branch', escape, 'skipped'],
    ['Which branch', '\u0003', 'left'],
  ])('writes nothing after a key at “%s”', async (question, key, expected) => {
    const { asked, written, said } = await start([[question, key]])
    expect([asked, written]).toEqual([expected, []])
    expect(said).toContain('nothing is written')
  })

  it('writes nothing if the person does not confirm the file', async () => {
    const { asked, written } = await start([
      ['Which branch', enter],
      ['Which command', enter],
      ['Which agent', enter],
      ['Write this file?', 'n'],
    ])
    expect([asked, written]).toEqual(['skipped', []])
  })

  it('shows no control characters of a branch', async () => {
    const { said } = await start([['Which branch', escape]], { targets: ['main', 'a\u009b31mb'] })
    expect(said).not.toContain('\u009b')
  })
})
