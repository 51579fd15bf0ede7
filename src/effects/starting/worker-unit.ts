import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { trial } from '../processes/process.ts'

// A systemd unit that runs the worker of a clone with its machine: of the system if root installs it, otherwise of the user.

interface WorkerUnit {
  readonly name: string
  readonly path: string
  readonly text: string
  /** The commands that enable it. */
  readonly commands: readonly (readonly string[])[]
}

export const workerUnit = (root: string, self: readonly string[], path = process.env['PATH'] ?? ''): WorkerUnit => {
  const isSystem = process.getuid?.() === 0
  const name = `aiswarm-worker-${basename(root).replace(/[^\w.-]/g, '-')}.service`
  const folder = isSystem ? '/etc/systemd/system' : join(homedir(), '.config', 'systemd', 'user')
  const systemctl = isSystem ? ['systemctl'] : ['systemctl', '--user']
  return {
    name,
    path: join(folder, name),
    text: textOf({ root, self, path, uid: isSystem ? statSync(root).uid : undefined }),
    commands: [
      [...systemctl, 'daemon-reload'],
      [...systemctl, 'enable', '--now', name],
      // Otherwise the units of a user end when the user logs out.
      ...(isSystem ? [] : [['loginctl', 'enable-linger']]),
    ],
  }
}

interface Told {
  readonly root: string
  readonly self: readonly string[]
  readonly path: string
  readonly uid: number | undefined
}

/** How long agents have to finish when the machine goes down (s); systemd ends the manager of a user after 2 minutes. */
const FAREWELL = { ofSystem: 600, ofUser: 50 } as const

const textOf = ({ root, self, path, uid }: Told): string => {
  const wait = uid === undefined ? FAREWELL.ofUser : FAREWELL.ofSystem
  return `[Unit]
Description=aiswarm worker in ${escaped(root)}
Wants=network-online.target
After=network-online.target

[Service]
${uid === undefined ? '' : `User=${uid}\n`}WorkingDirectory=${escaped(root)}
# systemd does not read the profile of a shell, in which the programs of agents are often put on the path.
Environment=${inQuotes(`PATH=${foldersIn(path).join(delimiter)}`)}
ExecStart=${[...self, 'worker'].map(quoted).join(' ')}
# When the machine goes down, its agents have time to finish; after a restart of the worker alone they continue.
ExecStop=/bin/sh -c '[ "$$(${uid === undefined ? 'systemctl --user' : 'systemctl'} is-system-running)" = stopping ] || exit 0; exec "$$@"' sh ${[...self, 'host', 'drain', '--until-start', '--wait', `${wait}s`].map(quoted).join(' ')}
TimeoutStopSec=${wait + 60}s
# Agents outlive a restart of the worker, which finds them again.
KillMode=process
Restart=always
RestartSec=5

[Install]
WantedBy=${uid === undefined ? 'default' : 'multi-user'}.target
`
}

/** A percent sign begins a specifier of systemd. */
const escaped = (text: string): string => text.replaceAll('%', '%%')

const inQuotes = (word: string): string => `"${escaped(word).replace(/["\\]/g, '\\$&')}"`

/** In a command, a dollar begins a variable. */
const quoted = (word: string): string => inQuotes(word).replaceAll('$', '$$$$')

/** The folders of a path; a relative one would be another folder in each place. */
const foldersIn = (path: string): readonly string[] => [
  ...new Set(path.split(delimiter).filter((folder) => isAbsolute(folder) && !/[\n\r]/.test(folder))),
]

/** Writes the unit and starts it. If systemd refuses, the file stays, and the sentence says how to go on. */
export const installWorker = async (root: string, self: readonly string[]): Promise<WorkerUnit> => {
  const unit = workerUnit(root, self)
  mkdirSync(join(unit.path, '..'), { recursive: true })
  writeFileSync(unit.path, unit.text)
  for (const command of unit.commands) {
    const { exitCode, output } = await trial(command, 30_000)
    if (exitCode !== 0)
      throw new Refusal(
        'invalid_state',
        `The worker is not started by systemd: '${command.join(' ')}' failed${output === '' ? '' : ` (${output.split('\n')[0]})`}. The unit is ${unit.path}; start the worker with 'aiswarm worker' until it is enabled.`,
      )
  }
  return unit
}
