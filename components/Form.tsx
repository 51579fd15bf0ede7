import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { fit, widthOf } from './fit.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'

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
}

/** A new task, an agent to spawn, a reason: fields below each other, one of them active. */
export const Form = ({ title, fields, at, hint, width }: FormProps) => {
  const labels = Math.max(...fields.map((field) => widthOf(field.label))) + 1
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'form',
          title,
          focused: true,
          height: fields.length + 1,
          body: (
            <Box flexDirection="column">
              {fields.map((field, index) => (
                <Field key={field.label} {...field} active={index === at} labels={labels} width={width - 4} />
              ))}
              <Paint dim>{` ${hint}`}</Paint>
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
  const shown = widthOf(value) > room ? `…${value.slice(-(room - 1))}` : value
  return (
    <Paint label={`${label}: ${value}`}>
      <Paint colour="cyan">{active ? '▸' : ' '}</Paint>
      <Paint bold={active} dim={!active}>{`${fit(label, labels)} `}</Paint>
      {choice ? <Paint bold={active}>{active ? `◂ ${shown} ▸` : shown}</Paint> : <Paint>{shown}</Paint>}
      {active && !choice ? <Paint inverse> </Paint> : ''}
      {value === '' ? <Paint dim>{` ${hint}`}</Paint> : ''}
    </Paint>
  )
}
