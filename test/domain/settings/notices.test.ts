import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noticeBytes, noticeCommand, noticeText } from '../../../src/domain/settings/notices.ts'

const both = { bell: true, osc: true }

describe('a terminal notification', () => {
  it('is a bell and two notification sequences that end with ST', () => {
    expect(noticeBytes('backend-1 asks', both, { tmux: false })).toBe(
      '\u0007\u001b]9;aiswarm: backend-1 asks\u001b\\\u001b]777;notify;aiswarm;backend-1 asks\u001b\\',
    )
    expect(noticeBytes('x', { bell: true, osc: false }, { tmux: false })).toBe('\u0007')
    expect(noticeBytes('x', { bell: false, osc: false }, { tmux: false })).toBe('')
    expect(noticeBytes('x', { bell: false, osc: true }, { tmux: false })).not.toContain('\u0007')
  })

  it('passes through tmux with every escape doubled', () => {
    expect(noticeBytes('x', both, { tmux: true })).toBe(
      '\u0007\u001bPtmux;\u001b\u001b]9;aiswarm: x\u001b\u001b\\\u001b\\\u001bPtmux;\u001b\u001b]777;notify;aiswarm;x\u001b\u001b\\\u001b\\',
    )
  })

  it("contains only the program's own sequences, whatever an agent wrote, and is short", () => {
    const ours =
      // oxlint-disable-next-line no-control-regex -- control sequences are what this is about
      /^\u0007\u001b\]9;aiswarm: [^\u0000-\u001f\u007f-\u009f]*\u001b\\\u001b\]777;notify;aiswarm;[^\u0000-\u001f\u007f-\u009f]*\u001b\\$/
    const nasty = fc
      .array(
        fc.constantFrom(
          '\u001b',
          '\u0007',
          '\u009c',
          '\u001b\\',
          '\u001b]52;c;eA==',
          '\r',
          '\n',
          '\u202e',
          '\ud800',
          'a',
          '4;',
          '漢',
        ),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(nasty, (text) => {
        const bytes = noticeBytes(text, both, { tmux: false })
        expect(bytes).toMatch(ours)
      }),
    )
    expect([...noticeText(['漢'.repeat(1000)])]).toHaveLength(200)
  })

  it('is one text for several items', () => {
    expect(noticeText(['a asks', 'b asks', 'c asks'])).toBe('3 items need you: a asks; …')
  })
})

describe('the notification command', () => {
  it.each([
    ['notify-send aiswarm {text}', 'notify-send aiswarm "$AISWARM_NOTICE"'],
    ['say "{text}"', 'say "$AISWARM_NOTICE"'],
    ["say '{text}'; true", 'say "$AISWARM_NOTICE"; true'],
    ['say it', 'say it'],
    ['', ''],
  ])('gets its text in an argument of its own: %s', (given, made) => expect(noticeCommand(given)).toBe(made))

  it.each([
    'sh -c "notify {text}"',
    "sh -c 'notify {text}'",
    'say aiswarm:{text}',
    'say "it: {text}"',
    'sh -c \'say "{text}"\'',
    '`say {text} ',
  ])('is refused if the text is only part of an argument: %s', (given) => expect(noticeCommand(given)).toBeUndefined())

  it('passes any text unchanged, because a shell never parses it', () => {
    const nasty = fc
      .array(fc.constantFrom("'", '"', '`', '$(', ')', ';', '&', '|', '\\', '$HOME', '*', 'rm -rf', ' ', '{text}'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(nasty, (text) => {
        const printed = execFileSync('/bin/sh', ['-c', noticeCommand('printf %s {text}')!], {
          env: { ...process.env, AISWARM_NOTICE: text },
        })
        expect(printed.toString()).toBe(text)
      }),
      { numRuns: 25 },
    )
  })
})
