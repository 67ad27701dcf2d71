/** The step in which a person chooses a file, drops one, or pastes its text. */
import { byId, h, showStep } from './dom.ts'
import { type CsvFile, readFile, readText, UnreadableFile } from './file.ts'

/** Waits for a file that can be read. */
export const askFile = (): Promise<CsvFile> => {
  const section = byId('import-choose', HTMLElement)
  const form = byId('import-form', HTMLFormElement)
  const input = byId('import-file', HTMLInputElement)
  const text = byId('import-text', HTMLTextAreaElement)
  const problem = byId('import-problem', HTMLElement)
  const listening = new AbortController()
  const { signal } = listening
  byId('import-read', HTMLButtonElement).disabled = false

  return new Promise((resolve) => {
    const refuse = (reason: string) => {
      byId('import-stage', HTMLElement).replaceChildren()
      section.hidden = false
      problem.textContent = reason
      problem.hidden = false
      input.focus()
    }

    const read = async () => {
      problem.hidden = true
      const [file] = input.files ?? []
      if (!file && !text.value.trim()) return refuse('Choose a CSV file first, or paste its text.')
      if (!form.reportValidity()) return
      const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Reading the file' })
      showStep('Reading the file', bar)
      const onProgress = (share: number) => {
        bar.value = share
      }
      try {
        const found = file
          ? await readFile(file, onProgress)
          : await readText('pasted.csv', text.value, onProgress)
        listening.abort()
        resolve(found)
      } catch (error) {
        // A file that was changed or removed since it was chosen can't be read either.
        refuse(error instanceof UnreadableFile ? error.message : 'This file can’t be read. Choose it again.')
      }
    }

    form.addEventListener(
      'submit',
      (event) => {
        event.preventDefault()
        void read()
      },
      { signal },
    )
    // One of the two: what was chosen last.
    input.addEventListener('change', () => (text.value = ''), { signal })
    text.addEventListener('input', () => (input.value = ''), { signal })
    dropZone(byId('import-drop', HTMLElement), input, signal, read)
  })
}

/** Takes a file that is dropped on the zone as if it had been chosen. */
const dropZone = (
  zone: HTMLElement,
  input: HTMLInputElement,
  signal: AbortSignal,
  read: () => void,
): void => {
  const over = (event: DragEvent) => {
    event.preventDefault()
    zone.classList.add('over')
  }
  zone.addEventListener('dragenter', over, { signal })
  zone.addEventListener('dragover', over, { signal })
  zone.addEventListener('dragleave', () => zone.classList.remove('over'), { signal })
  zone.addEventListener(
    'drop',
    (event) => {
      event.preventDefault()
      zone.classList.remove('over')
      if (!event.dataTransfer?.files.length) return
      input.files = event.dataTransfer.files
      input.dispatchEvent(new Event('change'))
      read()
    },
    { signal },
  )
}
