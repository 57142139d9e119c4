/**
 * The sound that a question makes.
 *
 * Owns: two short tones, made here: no file is loaded, and the editor has no sounds for extensions.
 * Does not own: when it is heard (setting `pilotfish.notifications.sound`).
 */

const TONES_HZ = [660, 880];

const TONE_S = 0.12;

/** Quiet: it is heard beside music, and nobody jumps. */
const VOLUME = 0.08;

let audio: AudioContext | null = null;

/** Plays it; silently does nothing where the browser wants a click first. */
export function playSound(): void {
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  const { currentTime: start } = audio;
  TONES_HZ.forEach((frequency, index) => {
    playTone(frequency, start + index * TONE_S);
  });
}

function playTone(frequency: number, at: number): void {
  if (!audio) return;
  const tone = audio.createOscillator();
  const gain = audio.createGain();
  tone.frequency.value = frequency;
  gain.gain.setValueAtTime(VOLUME, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + TONE_S);
  tone.connect(gain).connect(audio.destination);
  tone.start(at);
  tone.stop(at + TONE_S);
}
