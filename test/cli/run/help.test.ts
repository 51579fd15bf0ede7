import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
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
      for (const part of [`Usage: aiswarm ${command.path}`, '--json', '--root <DIR>', `Example:\n  $ aiswarm ${command.example}`]) expect(said.out).toContain(part)
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
    for (const name of ['tui', 'init', 'demo', 'run', 'status', 'task', 'agent', 'worktree', 'persona', 'session', 'memory', 'db', 'doctor', 'completion'])
      expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  })
})

describe('completion', () => {
  const script = async (shell: string) => (await (await openTerminal()).json<{ script: string }>('completion', shell)).script

  test('of bash completes commands, options and choices', async () => {
    const { folder } = await openTerminal()
    writeFileSync(join(folder, 'aiswarm.bash'), await script('bash'))
    const complete = (...words: string[]): string[] => {
      const line = words.map((word) => `'${word}'`).join(' ')
      const program = `source ${folder}/aiswarm.bash; COMP_WORDS=(aiswarm ${line}); COMP_CWORD=${words.length}; _aiswarm; printf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim().split('\n')
    }
    expect(complete('wor')).toEqual(['worktree'])
    expect(complete('--root', '/tmp', 'task', 'c')).toEqual(['cancel', 'claim', 'complete'])
    expect(complete('task', 'list', '--st')).toEqual(['--status'])
    expect(complete('task', 'list', '--status', 'c')).toEqual(['claimed', 'completed', 'cancelled'])
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(complete('task', 'add', '--persona', 'list', '--cr')).toEqual(['--criterion'])
  })

  test('of zsh describes subcommands and options', async () => {
    const text = await script('zsh')
    expect(text).toMatch(/^#compdef aiswarm\n/)
    expect(text).toContain("'worktree discard')\n      following=()\n      switches=('--reason:Reason' '--lose-nothing:Do not ask, but refuse if anything cannot be archived'")
    expect(text).toContain("'task list --status') compadd -- pending claimed in_progress completed failed cancelled blocked ;;")
  })

  test('of fish describes subcommands and options', async () => {
    const text = await script('fish')
    expect(text).toContain(`complete -c aiswarm -f -n "__aiswarm_at 'db'" -a check -d 'Check the database for damage and changed events; exit code 1 if it finds any'`)
    expect(text).toContain(
      `complete -c aiswarm -n "__aiswarm_at 'task list'" -l status -x -a 'pending claimed in_progress completed failed cancelled blocked' -d 'Only tasks in this state'`,
    )
    expect(text).toContain(`complete -c aiswarm -f -n "__aiswarm_at 'completion'" -a fish`)
  })
})
