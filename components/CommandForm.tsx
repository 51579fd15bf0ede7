import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { fit, fold, tail, widthOf } from './fit.ts'
import type { FormField } from './Form.tsx'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'
import { paletteText } from '../src/text/palette.ts'

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
  const lines = lineRows(line, width)
  const shown = formLines(
    fields.map(({ wrong }) => wrong !== null),
    at,
    height + 1 - lines.length,
  )
  const note = fields.length > shown.filter(({ wrong }) => !wrong).length ? ours(paletteText.field(at + 1, fields.length)) : ours('')
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'command',
          title,
          note,
          focused: true,
          height: shown.length + lines.length + 1,
          body: (
            <Box flexDirection="column">
              {shown.map(({ index, wrong }) =>
                wrong ? (
                  <Paint key={`${index} wrong`} colour="red">{`  ${' '.repeat(labels)}✗ ${fields[index]!.wrong}`}</Paint>
                ) : (
                  <Row key={index} {...fields[index]!} active={index === at} labels={labels} width={width - 4} />
                ),
              )}
              {lines.map((row, index) => (
                <Paint key={`line ${index}`} dim hidden={index > 0} label={paletteText.line(line)}>{`${index === 0 ? ' $ ' : '   '}${row}`}</Paint>
              ))}
              <Paint dim label={paletteText.spoken.hint(hint)}>{` ${hint}`}</Paint>
            </Box>
          ),
        },
      ]}
    />
  )
}

/** The line that does the same, whole as long as three rows hold it. */
export const lineRows = (line: SafeText, width: number): readonly string[] => {
  const rows = fold(line, Math.max(1, width - 5))
  return rows.length <= MOST_ROWS ? rows : [...rows.slice(0, MOST_ROWS - 1), rows.slice(MOST_ROWS - 1).join(' ')]
}

const MOST_ROWS = 3

/** Which field stands in each line of the form, and whether the line says what is wrong with it. */
export const formLines = (wrong: readonly boolean[], at: number, height: number): readonly { readonly index: number; readonly wrong: boolean }[] => {
  const rows = wrong.flatMap((isWrong, index) => [{ index, wrong: false }, ...(isWrong ? [{ index, wrong: true }] : [])])
  const room = Math.max(1, height - 2)
  const last = rows.findLastIndex((row) => row.index === at)
  const top = Math.max(0, Math.min(last - room + 1, rows.length - room))
  return rows.slice(top, top + room)
}

const Row = ({ label, value, choice, hint, active, labels, width }: CommandField & { active: boolean; labels: number; width: number }) => {
  const room = Math.max(4, width - labels - 4)
  // The end of a long text is where one types.
  const said = tail(value, room)
  const shown = choice && value === '' ? '–' : said
  return (
    <Paint label={paletteText.spoken.field(label, value, active)}>
      <Paint colour="cyan">{active ? '▸' : ' '}</Paint>
      <Paint bold={active} dim={!active}>{`${fit(label, labels)} `}</Paint>
      {choice ? <Paint bold={active}>{active ? `◂ ${shown} ▸` : shown}</Paint> : <Paint>{shown}</Paint>}
      {active && !choice ? <Paint inverse> </Paint> : ''}
      {value === '' || active ? <Paint dim>{` ${hint}`}</Paint> : ''}
    </Paint>
  )
}
