import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands/index.ts'
import { openTerminal } from '../terminal.ts'

describe('help', () => {
  test('lists the options, --json, --root and an example of every command', async () => {
    const { run } = await openTerminal()
    for (const command of commands) {
      const said = await run(...command.path.split(' '), '--help')
      expect(said).toMatchObject({ code: 0, err: '' })
      for (const part of [
        `Usage: aiswarm ${command.path}`,
        '--json',
        '--root <DIR>',
        `Example:\n  $ aiswarm ${command.example}`,
      ])
        expect(said.out).toContain(part)
      for (const word of Object.values(command.words)) expect(said.out).toContain(word.name)
    }
  })

  test('has examples that are command lines of their own command', () => {
    for (const command of commands) expect(command.example.startsWith(command.path)).toBe(true)
  })

  test('of the program names its groups and the commands that need no repository', async () => {
    const { run } = await openTerminal()
    const { out, code } = await run('--help')
    expect(code).toBe(0)
    for (const name of [
      'tui',
      'init',
      'demo',
      'run',
      'status',
      'task',
      'agent',
      'worktree',
      'persona',
      'session',
      'memory',
      'db',
      'doctor',
      'completion',
    ])
      expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  })
})

describe('completion', () => {
  const script = async (shell: string) =>
    (await (await openTerminal()).json<{ script: string }>('completion', shell)).script

  test('of bash completes commands, options and choices', async () => {
    const { folder } = await openTerminal()
    writeFileSync(join(folder, 'aiswarm.bash'), await script('bash'))
    const complete = (...words: string[]): string[] => {
      const line = words.map((word) => `'${word}'`).join(' ')
      const program = `source ${folder}/aiswarm.bash; COMP_WORDS=(aiswarm ${line}); COMP_CWORD=${words.length}; _aiswarm; printf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim().split('\n')
    }
    expect(complete('wor')).toEqual(['worker', 'worktree'])
    expect(complete('--root', '/tmp', 'task', 'c')).toEqual(['cancel', 'claim', 'complete'])
    expect(complete('task', 'list', '--st')).toEqual(['--status'])
    expect(complete('task', 'list', '--status', 'c')).toEqual(['claimed', 'completed', 'cancelled'])
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(complete('task', 'add', '--persona', 'list', '--cr')).toEqual(['--criterion'])
  })

  test('of bash offers the names that exist, with what a person knows them by', async () => {
    const { folder, run } = await openTerminal()
    for (const title of ['Write the parser', `Read: the file's "name"`])
      await run('task', 'add', title, '--persona', 'implementer')
    writeFileSync(join(folder, 'aiswarm.bash'), await script('bash'))
    writeFileSync(join(folder, 'tasks'), (await run('names', 'tasks')).out)
    writeFileSync(join(folder, 'personas'), (await run('names', 'personas')).out)
    /** The program is replaced by one that prints the same names, and notes how it was called. */
    const program = `aiswarm() { echo "$*" >> '${folder}/calls'; cat "${folder}/$2"; }`
    const complete = (...words: string[]): readonly string[] => {
      const line = words.map((word) => `'${word}'`).join(' ')
      const script = `source ${folder}/aiswarm.bash; ${program}; COMP_WORDS=(aiswarm ${line}); COMP_CWORD=${words.length}; COMP_TYPE=9; _aiswarm; printf '%s\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' }).trim().split('\n')
    }
    expect(complete('task', 'show', '')).toEqual([
      `2  (pending: Read: the file's "name")`,
      '1  (pending: Write the parser)',
    ])
    expect(complete('--root', '/shop', 'task', 'retry', '1')).toEqual(['1'])
    expect(complete('task', 'add', 'x', '--persona', 'impl')).toEqual(['implementer'])
    expect(readFileSync(join(folder, 'calls'), 'utf8').split('\n')).toEqual([
      'names tasks',
      'names tasks --root /shop',
      'names personas',
      '',
    ])
    // The second argument names nothing.
    expect(complete('task', 'show', '1', 'task')).toEqual(['tasks'])
  })

  test('of zsh describes subcommands and options', async () => {
    const text = await script('zsh')
    expect(text).toMatch(/^#compdef aiswarm\n/)
    expect(text).toContain(
      "'worktree discard')\n      following=()\n      switches=('--reason:Reason' '--lose-nothing:Do not ask, but refuse if anything cannot be archived'",
    )
    expect(text).toContain("'task show '0) _aiswarm_names tasks ;;")
    expect(text).toContain("'task add --worktree') _aiswarm_names worktrees ;;")
    expect(text).toContain(
      "'task list --status') compadd -- pending claimed in_progress completed failed cancelled blocked ;;",
    )
  })

  test('of fish describes subcommands and options', async () => {
    const text = await script('fish')
    expect(text).toContain(
      `complete -c aiswarm -f -n "__aiswarm_at 'db'" -a check -d 'Check the database for damage, changed rows and lost merges; exit code 1 if it finds any'`,
    )
    expect(text).toContain(
      `complete -c aiswarm -n "__aiswarm_at 'task list'" -l status -x -a 'pending claimed in_progress completed failed cancelled blocked' -d 'Only tasks in this state'`,
    )
    expect(text).toContain(`complete -c aiswarm -f -n "__aiswarm_at 'completion'" -a fish`)
    expect(text).toContain(`complete -c aiswarm -f -k -n "__aiswarm_at 'agent show' 0" -a "(__aiswarm_names agents)"`)
    expect(text).toContain(`-l persona -x -k -a "(__aiswarm_names personas)"`)
  })
})
