/** The controls of forms: each with its label, hint and error. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../http/errors.ts'
import type { Fields } from '../http/validate.ts'

type Control = {
  label: Child
  name: string
  hint?: Child
  errors?: ErrorDetail[] | undefined
  [attribute: string]: unknown
}

/** A field's error, and the attributes that tie the hint and the error to its control. */
const describe = ({ name, hint, errors = [] }: Pick<Control, 'name' | 'hint' | 'errors'>) => {
  const error = errors.find(({ path }) => path === name)?.message
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return {
    error,
    attributes: {
      id: name,
      name,
      'aria-describedby': described || undefined,
      'aria-invalid': error ? 'true' : undefined,
    },
  }
}

const Notes = ({ name, hint, error }: { name: string; hint: Child; error: string | undefined }) => (
  <>
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
    {error && (
      <p class="error" id={`${name}-error`}>
        {error}
      </p>
    )}
  </>
)

/** The fields of a form that was just opened, or of one that was refused with its errors. */
export type FormState = { fields: Fields; errors?: ErrorDetail[] | undefined }

/**
 * Ties the controls of a form to its fields, by name.
 * @example const control = controls(LABELS, { fields, errors })
 * <Field {...control('city')} maxlength={35} />
 */
export const controls =
  <Name extends string>(labels: Record<Name, string>, { fields, errors }: FormState) =>
  (name: Name) => ({ label: labels[name], name, value: fields[name], errors })

/** A labelled input. Screen readers announce its error with it. */
export const Field = ({
  label,
  name,
  hint,
  value,
  errors,
  ...input
}: Control & { value?: string | number | null | undefined }) => {
  const { error, attributes } = describe({ name, hint, errors })
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes name={name} hint={hint} error={error} />
      <input value={value ?? ''} {...attributes} {...input} />
    </div>
  )
}

/** A labelled input of several lines. */
export const TextArea = ({
  label,
  name,
  hint,
  value,
  errors,
  rows = 4,
  ...input
}: Control & { value?: string | null | undefined; rows?: number }) => {
  const { error, attributes } = describe({ name, hint, errors })
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes name={name} hint={hint} error={error} />
      <textarea rows={rows} {...attributes} {...input}>
        {value ?? ''}
      </textarea>
    </div>
  )
}

/** A labelled select. */
export const Select = ({
  label,
  name,
  hint,
  options,
  value,
  errors,
  ...select
}: Control & {
  options: readonly { value: string; label: string }[]
  value?: string | null | undefined
}) => {
  const { error, attributes } = describe({ name, hint, errors })
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes name={name} hint={hint} error={error} />
      <select {...attributes} {...select}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === (value ?? '')}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A labelled checkbox. */
export const Checkbox = ({
  label,
  name,
  hint,
  checked,
}: {
  label: Child
  name: string
  hint?: Child
  checked: boolean
}) => (
  <p class="option">
    <input
      type="checkbox"
      id={name}
      name={name}
      checked={checked}
      aria-describedby={hint ? `${name}-hint` : undefined}
    />
    <label for={name}>{label}</label>
    {hint && (
      <span class="hint" id={`${name}-hint`}>
        {hint}
      </span>
    )}
  </p>
)
