import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { fit } from './base/fit.ts'
import {
  activeValueIn,
  type FormField,
  type FormLine,
  formLines,
  type FormLines,
  type FormWords,
  hintOf,
  labelsIn,
  valueIn,
} from './lines/form.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './base/Paint.tsx'
import { formText } from '../src/text/forms.ts'
import { commonText } from '../src/text/common.ts'
import { paletteText } from '../src/text/palette.ts'
import { rangeText } from '../src/text/panes.ts'

export interface FormProps extends FormWords {
  readonly title: SafeText
  /** The key that scrolls the question. */
  readonly readsOn: SafeText
  readonly width: number
  /** Lines inside the border. */
  readonly height: number
}

/**
 * A new task, an answer, or the words of a command: fields below each other, one of them active, and as many as fit.
 */
export const Form = ({ title, readsOn, width, height, ...words }: FormProps) => {
  const { fields, at } = words
  const lines = formLines(words, width, height)
  const { asked, askedFrom, askedOf, rows, line, hints } = lines
  const seen = askedFrom + asked.length
  const range = rangeText(askedFrom + 1, seen, askedOf)
  const notes = [
    seen < askedOf ? formText.readsOn(readsOn, range) : askedFrom > 0 ? range : '',
    rows.filter(({ says }) => says === 'field').length < fields.length ? commonText.partOf(at + 1, fields.length) : '',
  ]
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'form',
          title,
          note: ours(notes.filter((note) => note !== '').join(', ')),
          focused: true,
          height: asked.length + rows.length + line.length + hints.length,
          body: <Body words={words} lines={lines} width={width} />,
        },
      ]}
    />
  )
}

/** The lines inside the border. */
const Body = ({
  words,
  lines: { asked, rows, line, hints },
  width,
}: {
  words: FormWords
  lines: FormLines
  width: number
}) => {
  const { fields, at } = words
  const labels = labelsIn(fields)
  return (
    <Box flexDirection="column">
      {asked.map((row, index) => (
        <Paint key={`asked ${index}`}>{` ${row}`}</Paint>
      ))}
      {rows.map((row, index) =>
        row.says === 'field' ? (
          <Field
            key={row.index}
            {...fields[row.index]!}
            active={row.index === at}
            typed={rows[index + 1]?.says !== 'text'}
            hinted={!rows.some(({ index: of, says }) => of === row.index && says === 'hint')}
            labels={labels}
            width={width}
          />
        ) : (
          <Below
            key={`${row.index} ${index}`}
            {...row}
            labels={labels}
            typed={row.says === 'text' && rows[index + 1]?.says !== 'text'}
          />
        ),
      )}
      {line.map((row, index) => (
        <Paint
          key={`line ${index}`}
          dim
          hidden={index > 0}
          label={paletteText.line(words.line ?? '')}
        >{`${index === 0 ? ' $ ' : '   '}${row}`}</Paint>
      ))}
      {hints.map((row, index) => (
        <Paint
          key={`hint ${index}`}
          dim
          hidden={index > 0}
          label={paletteText.spoken.hint(words.hint)}
        >{` ${row}`}</Paint>
      ))}
    </Box>
  )
}

/** `typed`: letters are typed at its end. */
const Below = ({ says, text, labels, typed }: FormLine & { labels: number; typed: boolean }) => (
  <Paint>
    <Paint
      colour={says === 'wrong' ? 'red' : undefined}
      dim={says === 'hint'}
    >{`  ${' '.repeat(labels)}${text}`}</Paint>
    {typed ? <Paint inverse> </Paint> : ''}
  </Paint>
)

/** `typed`: letters are typed at the end of its line; `hinted`: its hint is not shown below it. */
const Field = (
  field: FormField & { active: boolean; typed: boolean; hinted: boolean; labels: number; width: number },
) => {
  const { label, value, choice, active, typed, hinted, labels, width } = field
  const shown = active ? activeValueIn(field, labels, width) : valueIn(field, labels, width)
  const hint = hinted && (active || value === '') ? hintOf(field, labels, width) : ours('')
  return (
    <Paint label={paletteText.spoken.field(label, value, active, hint)}>
      <Paint colour="cyan">{active ? '▸' : ' '}</Paint>
      <Paint bold={active} dim={!active}>{`${fit(label, labels)} `}</Paint>
      {choice ? <Paint bold={active}>{active ? `◂ ${shown} ▸` : shown}</Paint> : <Paint>{shown}</Paint>}
      {active && typed && !choice ? <Paint inverse> </Paint> : ''}
      {hint === '' ? '' : <Paint dim>{` ${hint}`}</Paint>}
    </Paint>
  )
}
