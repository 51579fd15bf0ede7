import type { ConfigurationNow, SettingChange, SettingNow } from '../../../contracts/configuration.ts'
import { catalogue, type CataloguedSetting } from '../../../domain/settings/catalogue.ts'
import { bindingText } from '../../../text/keys.ts'
import { settingsText as words } from '../../../text/settings.ts'
import { ask, asked } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { choiceField, type Form, textField } from '../../core/form.ts'
import { close, open } from '../../core/overlays.ts'
import type { Feed } from '../../core/registry.ts'
import {
  changingPreferences,
  changingView,
  type ConsoleState,
  type Overlay,
  type Preferences,
  type Transition,
} from '../../core/state.ts'
import { bind } from '../../keys/bindings.ts'
import { changedLines } from '../../rows/lines.ts'

export interface SettingsOverlay {
  readonly kind: 'settings'
  /** The file as it was read. */
  readonly now: ConfigurationNow
  /** Values that are not saved, by key; null removes the key. */
  readonly changes: Readonly<Record<string, string | null>>
  /** The preferences before a value was tried. */
  readonly before: Pick<Preferences, 'theme' | 'bindings' | 'strict'>
  readonly at: number
  readonly top: number
}

/** A setting of the file with its type, its meaning and its unsaved value. */
export interface SettingRow extends CataloguedSetting {
  readonly now: SettingNow
  /** Undefined without a change. */
  readonly change: string | null | undefined
  /** The value with the change. */
  readonly shown: string
}

export const rowsOf = ({ now, changes }: SettingsOverlay): readonly SettingRow[] => {
  const known = new Map(now.settings.map((setting) => [setting.key, setting]))
  return catalogue.flatMap((setting): readonly SettingRow[] => {
    const own = known.get(setting.key)
    if (!own) return []
    const change = changes[setting.key]
    const shown = change === undefined ? (own.inFile ?? own.value) : (change ?? bare(setting.standard))
    return [{ ...setting, now: own, change, shown }]
  })
}

/** The words of a default: a quoted text without its quotes. */
export const bare = (standard: string): string => standard.replace(/^"(.*)"$/, '$1')

export const rowAt = (state: ConsoleState): SettingRow | undefined => {
  const overlay = overlayIn(state)
  return overlay && rowsOf(overlay)[overlay.at]
}

const overlayIn = ({ view: { overlay } }: ConsoleState): SettingsOverlay | undefined =>
  overlay?.kind === 'settings' ? overlay : undefined

/** Reads the file, and opens over the present view. */
export const openSettings = (controller: Controller): void =>
  controller.askOutside(
    ({ configurations }) => configurations.read(),
    (now) =>
      controller.change((state) => {
        const { theme, bindings, strict } = state.preferences
        return open({ kind: 'settings', now, changes: {}, before: { theme, bindings, strict }, at: 0, top: 0 })(state)
      }),
  )

/** Opens the form for the value of the selected setting. */
export const editSetting = (controller: Controller): void => {
  const row = rowAt(controller.state())
  if (row) controller.change(open({ kind: 'form', form: settingForm(row) }))
}

const settingForm = (row: SettingRow): Form => {
  const options = optionsOf(row)
  const shown = row.shown === 'null' ? '' : row.shown
  return {
    kind: 'setting',
    title: words.form(row.key),
    at: 0,
    fields: [
      options
        ? choiceField('value', words.value, options, shown)
        : textField('value', words.value, row.value === 'text' ? '' : words.asYaml(row.value), { value: shown }),
    ],
    submit: (controller, { value = '' }) => {
      // The form stays in front until the value is accepted.
      const empty = value === '' && row.value !== 'text'
      change(controller, row.key, empty ? null : value, () => controller.change(close))
    },
  }
}

/** The options of a setting; undefined if it is typed. */
const optionsOf = ({ value }: Pick<CataloguedSetting, 'value'>): readonly string[] | undefined =>
  /^[a-z]+(?:, [a-z]+)+$/.test(value) ? value.split(', ') : undefined

export const whyNoOption = (state: ConsoleState): string | undefined => {
  const row = rowAt(state)
  return row && optionsOf(row) ? undefined : words.noOption
}

/** The next option of a setting that has some, tried at once. */
export const nextOption =
  (by: 1 | -1) =>
  (controller: Controller): void => {
    const row = rowAt(controller.state())
    const options = row && optionsOf(row)
    if (!row || !options) return
    const next = options[(Math.max(0, options.indexOf(row.shown)) + by + options.length) % options.length]!
    change(controller, row.key, next)
  }

/** Removes the key, so that the default applies. */
export const toDefault = (controller: Controller): void => {
  const row = rowAt(controller.state())
  if (!row) return
  if (row.now.line === null && row.change === undefined) return controller.tell(words.isDefault(row.key))
  if (row.now.line === null) return undoChange(controller)
  change(controller, row.key, null)
}

export const whyNotChanged = (state: ConsoleState): string | undefined =>
  rowAt(state)?.change === undefined ? words.notChanged : undefined

/** Drops the unsaved value of the selected setting. */
export const undoChange = (controller: Controller): void => {
  const [overlay, row] = [overlayIn(controller.state()), rowAt(controller.state())]
  if (!overlay || !row) return
  const { [row.key]: _, ...changes } = overlay.changes
  apply(controller, overlay, changes)
}

const change = (controller: Controller, key: string, value: string | null, accepted?: () => void): void => {
  const overlay = settingsBelow(controller.state())
  const row = overlay && rowsOf(overlay).find((one) => one.key === key)
  if (!overlay || !row) return
  const { [key]: _, ...others } = overlay.changes
  // The value of the file needs no change.
  const same = row.now.line === null ? value === null : value === (row.now.inFile ?? row.now.value)
  apply(controller, overlay, same ? others : { ...others, [key]: value }, accepted)
}

/** Validates the changes with the whole file, and tries what can be tried. */
const apply = (
  controller: Controller,
  overlay: SettingsOverlay,
  changes: SettingsOverlay['changes'],
  accepted: () => void = () => {},
): void =>
  controller.askOutside(
    ({ configurations }) => configurations.draft(overlay.now.text, changesOf({ ...overlay, changes })),
    ({ settings: { console: wished } }) => {
      const bound = bind(controller.state().table, wished.keys)
      if ('problem' in bound) return controller.tell(bindingText.refused(bound.id, bound.problem), 'refused')
      accepted()
      controller.change(withChanges(changes))
      const tries = (key: string): boolean => changes[`console.${key}`] !== undefined
      controller.change(
        changingPreferences(() => ({
          theme: tries('theme') ? { ...overlay.before.theme, wish: wished.theme } : overlay.before.theme,
          bindings: tries('keys') ? bound.bindings : overlay.before.bindings,
          strict: tries('strict') ? wished.strict : overlay.before.strict,
        })),
      )
    },
  )

const changesOf = ({ changes }: SettingsOverlay): readonly SettingChange[] =>
  Object.entries(changes).map(([key, value]) => ({ key, value }))

const withChanges = (changes: SettingsOverlay['changes']): Transition =>
  changingView(({ overlay }) => (overlay?.kind === 'settings' ? { overlay: { ...overlay, changes } } : {}))

/** The view, also below the form of one of its settings. */
const settingsBelow = (state: ConsoleState): SettingsOverlay | undefined => {
  const { overlay } = state.view
  return overlay?.kind === 'form' && overlay.behind?.kind === 'settings' ? overlay.behind : overlayIn(state)
}

export const whyNotSave = (state: ConsoleState): string | undefined => {
  const overlay = overlayIn(state)
  return overlay && Object.keys(overlay.changes).length > 0 ? undefined : words.noChange
}

/** Shows the changed lines of the file, and saves them after a yes. */
export const saveSettings = (controller: Controller): void => {
  const overlay = overlayIn(controller.state())
  if (!overlay) return
  const changes = changesOf(overlay)
  controller.askOutside(
    ({ configurations }) => configurations.draft(overlay.now.text, changes),
    ({ text }) =>
      ask(controller, () => ({
        lines: [words.saves(overlay.now.path), ...changedLines(overlay.now.text, text)],
        carryOut: () => {
          // An answer goes back to the panes; a refusal must lose nothing here.
          controller.change(open(overlay))
          write(controller, overlay)
        },
      })),
  )
}

const write = (controller: Controller, overlay: SettingsOverlay): void => {
  const changes = changesOf(overlay)
  controller.askOutside(
    async ({ configurations }) => {
      await configurations.save(overlay.now.text, changes)
      return configurations.read()
    },
    (now) => {
      const { theme, bindings, strict } = controller.state().preferences
      controller.change(
        changingView(({ overlay: front }) =>
          front?.kind === 'settings'
            ? { overlay: { ...front, now, changes: {}, before: { theme, bindings, strict } } }
            : {},
        ),
      )
      const committed = changes.some(({ key }) => key === 'integration.verify' || key === 'integration.approval')
      controller.tell(committed ? `${words.saved} ${words.committed(now.target)}` : words.saved, 'done')
    },
  )
}

/** Reads the file again, and keeps the unsaved changes. */
export const rereadSettings = (controller: Controller): void =>
  controller.askOutside(
    ({ configurations }) => configurations.read(),
    (now) => {
      controller.change(
        changingView(({ overlay }) => (overlay?.kind === 'settings' ? { overlay: { ...overlay, now } } : {})),
      )
      controller.tell(words.reread)
    },
  )

export const openFile = (controller: Controller): void => {
  const overlay = overlayIn(controller.state())
  if (overlay) controller.openEditor(overlay.now.path)
}

/** Esc asks before unsaved values are dropped; undefined without any. */
export const leaveSettings = (state: ConsoleState, overlay: SettingsOverlay): ConsoleState | undefined => {
  const changed = rowsOf(overlay).filter(({ change }) => change !== undefined)
  if (changed.length === 0) return undefined
  const lines = [
    words.drops(changed.length),
    ...changed.map(({ key, now, shown }) => words.change(key, now.inFile ?? now.value, shown)),
  ]
  return open(asked({ lines, carryOut: (controller) => dropChanges(controller, overlay) }))(state)
}

const dropChanges = (controller: Controller, { before }: SettingsOverlay): void => {
  controller.change(changingPreferences(() => before))
  controller.change((state) => (overlayIn(state) ? close(state) : state))
}

/** Undoes what was tried and not saved when the view is left, whichever way. */
export const startSettingsFeed: Feed = (_options, store) =>
  store.subscribe((after, before) => {
    const left = settingsIn(before.view.overlay)
    if (!left || Object.keys(left.changes).length === 0 || settingsIn(after.view.overlay)) return
    // An answered question leaves the view for a moment.
    setImmediate(() => {
      if (!settingsIn(store.getState().view.overlay))
        store.setState(
          changingPreferences(() => left.before),
          true,
        )
    })
  })

/** The view of the settings, also below the form or the question of one of them. */
const settingsIn = (overlay: Overlay | null | undefined): SettingsOverlay | undefined =>
  !overlay ? undefined : overlay.kind === 'settings' ? overlay : settingsIn(overlay.behind)
