import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { fit, tail } from './fit.ts'
import { fieldLines, labelsIn } from './form-lines.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'
import { paletteText } from '../src/text/palette.ts'
import { commonText } from '../src/text/common.ts'

export interface FormField {
  readonly label: SafeText
  readonly value: SafeText
  /** A choice is changed with the arrows, a text is typed. */
  readonly choice: boolean
  readonly hint: SafeText
}

export interface FormProps {
  readonly title: SafeText
  readonly fields: readonly FormField[]
  /** The field that is being filled in. */
  readonly at: number
  readonly hint: SafeText
  readonly width: number
  /** Lines inside the border. */
  readonly height: number
}

/** A new task, an agent to spawn, a reason: fields below each other, one of them active, and as many as there is room for. */
export const Form = ({ title, fields, at, hint, width, height }: FormProps) => {
  const { from, room, hints } = fieldLines(fields.length, at, hint, width, height)
  const labels = labelsIn(fields)
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'form',
          title,
          note: room < fields.length ? ours(commonText.partOf(at + 1, fields.length)) : ours(''),
          focused: true,
          height: room + hints.length,
          body: (
            <Box flexDirection="column">
              {fields.slice(from, from + room).map((field, index) => (
                <Field key={field.label} {...field} active={index + from === at} labels={labels} width={width - 4} />
              ))}
              {hints.map((row, index) => (
                <Paint key={`hint ${index}`} dim hidden={index > 0} label={paletteText.spoken.hint(hint)}>{` ${row}`}</Paint>
              ))}
            </Box>
          ),
        },
      ]}
    />
  )
}

const Field = ({ label, value, choice, hint, active, labels, width }: FormField & { active: boolean; labels: number; width: number }) => {
  const room = Math.max(4, width - labels - 4)
  // The end of a long text is where one types.
  const shown = tail(value, room)
  return (
    <Paint label={paletteText.spoken.field(label, value, active)}>
      <Paint colour="cyan">{active ? '▸' : ' '}</Paint>
      <Paint bold={active} dim={!active}>{`${fit(label, labels)} `}</Paint>
      {choice ? <Paint bold={active}>{active ? `◂ ${shown} ▸` : shown}</Paint> : <Paint>{shown}</Paint>}
      {active && !choice ? <Paint inverse> </Paint> : ''}
      {value === '' ? <Paint dim>{` ${hint}`}</Paint> : ''}
    </Paint>
  )
}
