import { describe, expect, it } from 'vitest'
import { excerptOf } from '../../../src/memory/project-memory/load.ts'

const section = (name: string, lines: number) =>
  `## ${name}\n${Array.from({ length: lines }, (_, n) => `- ${name} ${n}`).join('\n')}\n`

describe('a file of project memory', () => {
  it('that is small is printed completely', () => {
    expect(excerptOf('# A\n\nb\n')).toEqual({ text: '# A\n\nb\n', leftOut: [] })
  })

  it('that is large is printed by whole sections, and the omitted sections are named', () => {
    const text = `# Summary\n${section('First', 3)}${section('Second', 1000)}${section('Third', 2)}${section('Fourth', 2)}`
    const { text: told, leftOut } = excerptOf(text, 1000)
    expect(Buffer.byteLength(told)).toBeLessThanOrEqual(1000)
    expect(told.startsWith(`# Summary\n${section('First', 3)}## Second\n- Second `)).toBe(true)
    expect(leftOut).toEqual([expect.stringMatching(/^\d+ of 1001 lines of '## Second'$/), "'## Third'", "'## Fourth'"])
  })

  it('keeps the last entries of a long list', () => {
    const { text: told } = excerptOf(`# Summary\n${section('Log', 1000)}`, 200)
    expect(told).toMatch(/^# Summary\n## Log\n(- Log 9\d\d\n)+$/)
    expect(told).toContain('- Log 999\n')
  })

  it('ignores a heading inside a fence, and skips a line that is too long', () => {
    const { text: told, leftOut } = excerptOf(`# A\n\`\`\`\n# no heading\n\`\`\`\n${'é'.repeat(5000)}\nthe end\n`, 300)
    expect(told).toBe('# A\n```\n# no heading\n```\nthe end\n')
    expect(leftOut).toEqual(["1 of 7 lines of '# A'"])
  })

  it('names not more than twenty sections', () => {
    const text = Array.from({ length: 100 }, (_, n) => section(`S${n}`, 20)).join('')
    expect(excerptOf(text, 1000).leftOut).toHaveLength(21)
    expect(excerptOf(text, 1000).leftOut.at(-1)).toMatch(/^\d+ more sections$/)
  })
})
