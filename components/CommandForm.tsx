import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { fit } from './fit.ts'
import { commandLines, type CommandWords, type FormLine, labelsIn, valueIn } from './form-lines.ts'
import type { FormField } from './Form.tsx'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'
import { paletteText } from '../src/text/palette.ts'

export interface CommandField extends FormField {
  /** What is wrong with it. */
  readonly wrong: SafeText | null
}

export interface CommandFormProps extends CommandWords {
  readonly title: SafeText
  readonly width: number
  /** Lines inside the border. */
  readonly height: number
}

/** The words of a command, as many of them as there is room for, and the line that does the same. */
export const CommandForm = ({ title, width, height, ...words }: CommandFormProps) => {
  const { fields, at } = words
  const labels = labelsIn(fields)
  const { rows, line, hints } = commandLines(words, width, height)
  const note = fields.length > rows.filter(({ says }) => says === 'field').length ? ours(paletteText.field(at + 1, fields.length)) : ours('')
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'command',
          title,
          note,
          focused: true,
          height: rows.length + line.length + hints.length,
          body: (
            <Box flexDirection="column">
              {rows.map((row, index) =>
                row.says === 'field' ? (
                  <Row key={row.index} {...fields[row.index]!} active={row.index === at} hinted={rows[index + 1]?.says !== 'hint'} labels={labels} width={width} />
                ) : (
                  <Below key={`${row.index} ${index}`} {...row} labels={labels} />
                ),
              )}
              {line.map((row, index) => (
                <Paint key={`line ${index}`} dim hidden={index > 0} label={paletteText.line(words.line)}>{`${index === 0 ? ' $ ' : '   '}${row}`}</Paint>
              ))}
              {hints.map((row, index) => (
                <Paint key={`hint ${index}`} dim hidden={index > 0} label={paletteText.spoken.hint(words.hint)}>{` ${row}`}</Paint>
              ))}
            </Box>
          ),
        },
      ]}
    />
  )
}

const Below = ({ says, text, labels }: FormLine & { labels: number }) => (
  <Paint colour={says === 'wrong' ? 'red' : undefined} dim={says === 'hint'}>{`  ${' '.repeat(labels)}${text}`}</Paint>
)

/** `hinted`: its hint does not stand below it. */
const Row = ({ label, value, choice, hint, active, hinted, labels, width }: CommandField & { active: boolean; hinted: boolean; labels: number; width: number }) => {
  const shown = valueIn({ value, choice }, labels, width)
  return (
    <Paint label={paletteText.spoken.field(label, value, active)}>
      <Paint colour="cyan">{active ? '▸' : ' '}</Paint>
      <Paint bold={active} dim={!active}>{`${fit(label, labels)} `}</Paint>
      {choice ? <Paint bold={active}>{active ? `◂ ${shown} ▸` : shown}</Paint> : <Paint>{shown}</Paint>}
      {active && !choice ? <Paint inverse> </Paint> : ''}
      {hinted && (active || value === '') ? <Paint dim>{` ${hint}`}</Paint> : ''}
    </Paint>
  )
}
