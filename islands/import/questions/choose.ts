/** The first step: choosing or dropping a file, or pasting its text. */
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { byId, h, showStep } from '../dom.ts'
import { type CsvFile, readFile, readText, UnreadableFile } from '../file.ts'

/**
 * Resolves with the first readable file.
 * @param listening aborted when another source is chosen, or a file was read
 */
export const askFile = (listening: AbortController): Promise<CsvFile> => {
  const section = byId('import-choose', HTMLElement)
  const form = byId('import-form', HTMLFormElement)
  const input = byId('import-file', HTMLInputElement)
  const text = byId('import-text', HTMLTextAreaElement)
  const problem = byId('import-problem', HTMLElement)
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
      if (!file && !text.value.trim()) return refuse(t(m.import_choose_or_paste))
      if (!form.reportValidity()) return
      const title = t(m.import_reading_file)
      const bar = h('progress', { max: 1, value: 0, 'aria-label': title })
      showStep(title, bar)
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
        // A file that was changed or removed after it was chosen cannot be read.
        refuse(error instanceof UnreadableFile ? error.message : t(m.import_file_gone))
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
    // The last input wins.
    input.addEventListener('change', () => (text.value = ''), { signal })
    text.addEventListener('input', () => (input.value = ''), { signal })
    dropZone(byId('import-drop', HTMLElement), input, signal, read)
  })
}

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
