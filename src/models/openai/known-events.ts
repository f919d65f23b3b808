/** What tells only how far the work is, or again what a finished item has. By the last word of its type. */
const steps: Readonly<Record<string, string>> = {
  response: 'created queued in_progress',
  'response.content_part': 'added done',
  'response.output_text': 'done',
  'response.output_text.annotation': 'added',
  'response.refusal': 'done',
  'response.reasoning_text': 'done',
  'response.reasoning_summary_part': 'done',
  'response.reasoning_summary_text': 'done',
  'response.function_call_arguments': 'done',
  'response.custom_tool_call_input': 'done',
  'response.mcp_list_tools': 'in_progress completed failed',
  'response.mcp_call': 'in_progress completed failed',
  'response.mcp_call_arguments': 'delta done',
  'response.web_search_call': 'in_progress searching completed',
  'response.file_search_call': 'in_progress searching completed',
  'response.code_interpreter_call': 'in_progress interpreting completed',
  'response.code_interpreter_call_code': 'delta done',
  'response.image_generation_call': 'in_progress generating partial_image completed',
  'response.shell_call_command': 'added delta done',
  'response.shell_call_output_content': 'delta done',
  'response.apply_patch_call_operation_diff': 'delta done',
  'response.compaction': 'compacting',
  'response.audio': 'delta done',
  'response.audio.transcript': 'delta done',
}
const known = new Set(
  Object.entries(steps).flatMap(([group, words]) => words.split(' ').map((word) => `${group}.${word}`)),
)
for (const sign of ['ping', 'keepalive', 'heartbeat']) known.add(sign).add(`response.${sign}`)

/** Whether an event may be passed over without a word. */
export const isKnownEvent = (type: string): boolean => known.has(type)
