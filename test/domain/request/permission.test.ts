import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAllowed, parseRule, ruleFor, ruleText } from '../../../src/domain/request/permission.ts'

const shell = (command: string) => ({ kind: 'shell', command }) as const
const ruleOf = (command: string) => {
  const rule = ruleFor(shell(command))
  return rule && ruleText(rule)
}

describe('a permission rule', () => {
  it('is edit, a command by its first words, or a tool by its name', () => {
    expect(parseRule(' edit ')).toEqual({ kind: 'edit' })
    expect(parseRule('shell( npm   test )')).toEqual({ kind: 'shell', words: 'npm test' })
    expect(parseRule('tool(WebFetch)')).toEqual({ kind: 'tool', name: 'WebFetch' })
    expect(parseRule('tool(mcp__github__search)')).toEqual({ kind: 'tool', name: 'mcp__github__search' })
  })

  it.each([
    '',
    'edits',
    'shell()',
    'shell( )',
    'shell',
    'tool(a b)',
    'shell(rm *)',
    'shell(a,b)',
    'shell(echo "a")',
    'shell(a;b)',
    'shell((a))',
    'tool(*)',
    'shell(a\nb)',
  ])('cannot be %j', (text) => {
    expect(parseRule(text)).toBeUndefined()
  })

  it('is written in the form in which it is read', () => {
    for (const text of ['edit', 'shell(npm run test:unit)', 'tool(WebFetch)'])
      expect(ruleText(parseRule(text)!)).toBe(text)
  })
})

describe('a command', () => {
  it('is allowed by a rule with its first words', () => {
    expect(isAllowed(shell('npm test -- --watch'), ['edit', 'shell(npm test)'])).toBe(true)
    expect(isAllowed(shell('npm test'), ['shell(npm)'])).toBe(true)
  })

  it('is allowed only by whole words', () => {
    expect(isAllowed(shell('npm testing'), ['shell(npm test)'])).toBe(false)
    expect(isAllowed(shell('npm'), ['shell(npm test)'])).toBe(false)
  })

  it.each([
    'npm test; rm -rf x',
    'npm test && rm x',
    'npm test | sh',
    'npm test > x',
    'npm test $(rm x)',
    'npm test `rm x`',
    'npm test\nrm x',
    'npm test & rm x',
    'A=b npm test',
    'npm test <(x)',
  ])('is never allowed if it does several things: %j', (command) => {
    expect(isAllowed(shell(command), ['shell(npm test)', 'shell(npm)', 'shell(A=b)'])).toBe(false)
    expect(ruleFor(shell(command))).toBeUndefined()
  })

  it('is not allowed by a rule of another kind or an invalid rule', () => {
    expect(isAllowed(shell('npm test'), ['edit', 'tool(npm)', 'npm test', 'shell(*)'])).toBe(false)
    expect(isAllowed({ kind: 'edit', path: 'a.ts' }, ['shell(a.ts)'])).toBe(false)
    expect(isAllowed({ kind: 'edit', path: 'a.ts' }, ['edit'])).toBe(true)
    expect(isAllowed({ kind: 'tool', name: 'WebFetch' }, ['tool(WebFetch)'])).toBe(true)
    expect(isAllowed({ kind: 'tool', name: 'WebFetchAll' }, ['tool(WebFetch)'])).toBe(false)
  })
})

describe('the rule for a command and similar ones', () => {
  it('consists of the program and its subcommand', () => {
    expect(ruleOf('git commit -m x')).toBe('shell(git commit)')
    expect(ruleOf('npm test')).toBe('shell(npm test)')
    expect(ruleOf('ls -la src')).toBe('shell(ls)')
    expect(ruleOf('cat ./a.txt')).toBe('shell(cat)')
  })

  it('names the script to run', () => {
    expect(ruleOf('npm run build --silent')).toBe('shell(npm run build)')
    expect(ruleOf('npm run ./x.js')).toBe('shell(npm run ./x.js)')
    expect(ruleOf('docker run alpine rm')).toBe('shell(docker run alpine)')
  })

  it('is the whole command if the program runs other programs', () => {
    expect(ruleOf('bash scripts/check.sh')).toBe('shell(bash scripts/check.sh)')
    expect(ruleOf('/usr/bin/env node x.js')).toBe('shell(/usr/bin/env node x.js)')
    expect(ruleOf('sudo apt install x')).toBe('shell(sudo apt install x)')
    expect(ruleOf('git -C ../x push')).toBe('shell(git -C ../x push)')
  })

  it('does not exist if no rule can express it', () => {
    expect(ruleOf('bash -c "rm -rf x"')).toBeUndefined()
    expect(ruleOf('node *.js')).toBeUndefined()
    expect(ruleOf('')).toBeUndefined()
    expect(ruleFor({ kind: 'tool', name: 'a tool, or two' })).toBeUndefined()
  })

  it('for an edit or a tool has its own form', () => {
    expect(ruleFor({ kind: 'edit', path: 'a.ts' })).toEqual({ kind: 'edit' })
    expect(ruleFor({ kind: 'tool', name: 'WebFetch' })).toEqual({ kind: 'tool', name: 'WebFetch' })
  })

  it('allows the command and is read again from its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abgit npmru-./;"$*'), maxLength: 30 }), (command) => {
        const rule = ruleFor(shell(command))
        if (!rule) return
        expect(parseRule(ruleText(rule))).toEqual(rule)
        expect(isAllowed(shell(command), [ruleText(rule)])).toBe(true)
      }),
    )
  })
})
