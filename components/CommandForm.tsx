import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { fit, widthOf } from './fit.ts'
import type { FormField } from './Form.tsx'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'

export interface CommandField extends FormField {
  /** What is wrong with it. */
  readonly wrong: SafeText | null
}

export interface CommandFormProps {
  readonly title: SafeText
  readonly fields: readonly CommandField[]
  /** The field that is being filled in. */
  readonly at: number
  /** The line that does the same. */
  readonly line: SafeText
  readonly hint: SafeText
  readonly width: number
  /** Lines inside the border. */
  readonly height: number
}

/** The words of a command, as many of them as there is room for, and the line that does the same. */
export const CommandForm = ({ title, fields, at, line, hint, width, height }: CommandFormProps) => {
  const labels = Math.max(0, ...fields.map((field) => widthOf(field.label))) + 1
  const rows = fields.flatMap((field, index) => [{ index, wrong: false }, ...(field.wrong === null ? [] : [{ index, wrong: true }])])
  const room = Math.max(1, height - 2)
  const last = rows.findLastIndex((row) => row.index === at)
  const top = Math.max(0, Math.min(last - room + 1, rows.length - room))
  const shown = rows.slice(top, top + room)
  const note = rows.length > shown.length ? ours(`${at + 1} of ${fields.length}`) : ours('')
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'command',
          title,
          note,
          focused: true,
          height: shown.length + 2,
          body: (
            <Box flexDirection="column">
              {shown.map(({ index, wrong }) =>
                wrong ? (
                  <Paint key={`${index} wrong`} colour="red">{`  ${' '.repeat(labels)}✗ ${fields[index]!.wrong}`}</Paint>
                ) : (
                  <Row key={index} {...fields[index]!} active={index === at} labels={labels} width={width - 4} />
                ),
              )}
              <Paint dim label={`command line: ${line}`}>{` $ ${line}`}</Paint>
              <Paint dim>{` ${hint}`}</Paint>
            </Box>
          ),
        },
      ]}
    />
  )
}

const Row = ({ label, value, choice, hint, active, labels, width }: CommandField & { active: boolean; labels: number; width: number }) => {
  const room = Math.max(4, width - labels - 4)
  // The end of a long text is where one types.
  const said = widthOf(value) > room ? `…${value.slice(-(room - 1))}` : value
  const shown = choice && value === '' ? '–' : said
  return (
    <Paint label={`${label}: ${value}`}>
      <Paint colour="cyan">{active ? '▸' : ' '}</Paint>
      <Paint bold={active} dim={!active}>{`${fit(label, labels)} `}</Paint>
      {choice ? <Paint bold={active}>{active ? `◂ ${shown} ▸` : shown}</Paint> : <Paint>{shown}</Paint>}
      {active && !choice ? <Paint inverse> </Paint> : ''}
      {value === '' || active ? <Paint dim>{` ${hint}`}</Paint> : ''}
    </Paint>
  )
}
