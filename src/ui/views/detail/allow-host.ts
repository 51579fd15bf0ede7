import type { SettingChange } from '../../../contracts/configuration.ts'
import type { Controller } from '../../core/controller.ts'
import { choiceField, type Form } from '../../core/form.ts'
import { closeOver, open } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import { ask } from '../../actions/answers.ts'
import { allowHostText as words } from '../../../text/agents.ts'
import { changedLines } from '../../rows/lines.ts'

const KEY = 'sandbox.hosts'

const refusedIn = ({ view, opened }: ConsoleState): readonly string[] =>
  view.overlay?.kind === 'detail' && view.overlay.of === 'agents' ? (opened.parts.refused ?? []) : []

export const whyNoHost = (state: ConsoleState): string | undefined =>
  refusedIn(state).length === 0 ? words.none : undefined

/** Asks which of the refused hosts, if there are several; then shows the changed lines of the file, and saves them after a yes. */
export const allowHost = (controller: Controller): void => {
  const refused = refusedIn(controller.state())
  if (refused.length === 1) propose(controller, refused)
  else controller.change(open({ kind: 'form', form: hostForm(refused) }))
}

const hostForm = (refused: readonly string[]): Form => ({
  kind: 'allow-host',
  title: words.title,
  at: 0,
  fields: [choiceField('host', words.label, [...refused, words.all(refused.length)], refused[0]!)],
  submit: (controller, { host = '' }) => {
    controller.change(closeOver)
    propose(controller, refused.includes(host) ? [host] : refused)
  },
})

const propose = (controller: Controller, hosts: readonly string[]): void =>
  controller.askOutside(
    async ({ configurations }) => {
      const { path, text } = await configurations.read()
      const { settings } = await configurations.draft(text, [])
      const listed = settings.sandbox.hosts
      const value = JSON.stringify([...listed, ...hosts.filter((host) => !listed.includes(host))])
      const changes: readonly SettingChange[] = [{ key: KEY, value }]
      return { path, text, changes, next: (await configurations.draft(text, changes)).text }
    },
    ({ path, text, changes, next }) =>
      ask(controller, () => ({
        lines: [words.saves(hosts.length, path), ...changedLines(text, next)],
        carryOut: () =>
          controller.askOutside(
            ({ configurations }) => configurations.save(text, changes),
            () => controller.tell(words.saved(hosts), 'done'),
          ),
      })),
  )
