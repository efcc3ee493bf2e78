"""Makes media: voices by flite, espeak-ng and festival, recordings from Debian's packages, the rest by numpy with fixed seeds."""

import subprocess
from pathlib import Path

import numpy as np
from scipy.io import wavfile
from scipy.signal import butter, fftconvolve, resample_poly, sosfilt

RATE = 16_000
LIBRIVOX = Path("/usr/share/pocketsphinx/test/data/librivox")
PROMPTS = Path("/usr/share/asterisk/sounds")
MUSIC = Path("/usr/share/asterisk/moh")
# The forms that the recorded prompts come in.
BYTES_A_SECOND = {".g722": 8_000, ".wav": 16_000, ".gsm": 1_650}
# A sample below this part of the loudest one, at either end of a sentence, is silence.
SILENT = 0.01
# A level below this part of the loudest sample (-26 dB), at either end of a sentence, is cut off where no pause may be.
FAINT = 0.05
# Samples of the end of one part that are faded into the next one's begin: 5 ms, against clicks.
FADE = RATE // 200
# Samples that a level is taken of: 20 ms. A single sample of a recording's noise is three or four times its level.
LEVEL = RATE // 50
# Seconds of silence within a sentence that are a pause and no speech: the rule of NIST's evaluations of speakers.
PAUSE = 0.3


class Studio:
    """A folder of media. Every file's name is used once."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        path = self.folder / name
        if path.exists():
            raise FileExistsError(f"two samples are called {name}")
        return path

    def wav(self, name: str, sound: np.ndarray, rate: int = RATE) -> Path:
        """Writes samples between -1 and 1, a column a channel, as 32-bit floats: nothing is rounded or clipped."""
        path = self.path(name)
        wavfile.write(path, rate, sound.astype(np.float32))
        return path

    def say(self, voice: str, text: str) -> np.ndarray:
        """A sentence by a voice such as `flite:slt`, `espeak:en-us+f3` or `festival:lp_diphone`, at 16 kHz, without silence
        at its ends. Beware of `espeak:en-gb+f3`: a variant of a name that is an alias is passed over without a word."""
        engine, _, name = voice.partition(":")
        spoken = self.folder / "spoken.wav"
        if engine == "flite":
            run("flite", "-voice", name, "-t", text, "-o", spoken)
        elif engine == "festival":
            written = self.folder / "spoken.txt"
            written.write_text(text)
            run("text2wave", "-eval", f"(voice_{name})", "-o", spoken, written)
        else:
            run("espeak-ng", "-v", name, "-s", "150", "-w", spoken, text)
        rate, samples = wavfile.read(spoken)
        return trimmed(resampled(samples / 32768.0, rate))

    def recording(self, path: Path, rate: int = RATE) -> np.ndarray:
        """A recorded file as one channel at this rate."""
        decoded = run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-ac", "1", "-ar", str(rate), "-f", "f32le", "-")
        return np.frombuffer(decoded, dtype="<f4").astype(float)

    def prompts(self, speaker: str, count: int, seed: int, least_seconds: float = 1.5) -> list[np.ndarray]:
        """Recorded sentences of one of the speakers of Debian's sounds for Asterisk, chosen by the seed."""
        files = sorted(path for path in (PROMPTS / speaker).iterdir() if path.suffix in BYTES_A_SECOND)
        # Beeps, and a herd of monkeys.
        files = [path for path in files if not any(word in path.name for word in ("tone", "beep", "monkeys"))]
        files = [path for path in files if path.stat().st_size >= least_seconds * BYTES_A_SECOND[path.suffix]]
        chosen = np.random.default_rng(seed).choice(len(files), count, replace=False)
        return [trimmed(self.recording(files[number])) for number in chosen]


def run(*command: object, stderr: bool = False) -> bytes:
    """What a program wrote, or what it complained of; one that fails is an error with its words."""
    done = subprocess.run([str(part) for part in command], capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stderr if stderr else done.stdout


def resampled(samples: np.ndarray, rate: int) -> np.ndarray:
    divisor = np.gcd(rate, RATE)
    return samples if rate == RATE else resample_poly(samples, RATE // divisor, rate // divisor)


def trimmed(samples: np.ndarray) -> np.ndarray:
    """Without silence at either end, at three quarters of full scale."""
    loud = np.flatnonzero(np.abs(samples) > SILENT * np.abs(samples).max())
    cut = samples[loud[0] : loud[-1] + 1]
    return 0.75 * cut / np.abs(cut).max()


def spoken(samples: np.ndarray) -> list[tuple[float, float]]:
    """Where somebody speaks in a clean sentence, in seconds: all but its pauses."""
    loud = above(samples, SILENT)
    pauses = np.flatnonzero((np.diff(loud) - 1) * LEVEL > PAUSE * RATE)
    starts, ends = loud[np.append(0, pauses + 1)], loud[np.append(pauses, len(loud) - 1)] + 1
    return [(float(start) * LEVEL / RATE, float(end) * LEVEL / RATE) for start, end in zip(starts, ends)]


def above(samples: np.ndarray, part: float) -> np.ndarray:
    """The numbers of the stretches of 20 ms whose level is above this part of the loudest sample."""
    whole = samples[: len(samples) // LEVEL * LEVEL].reshape(-1, LEVEL)
    return np.flatnonzero(np.sqrt(np.mean(whole**2, axis=1)) > part * np.abs(samples).max())


def close_cut(samples: np.ndarray) -> np.ndarray:
    """Without what is faint at either end: a breath, the room, a sound that dies away."""
    loud = above(samples, FAINT)
    return samples[loud[0] * LEVEL : (loud[-1] + 1) * LEVEL]


def by_telephone(sound: np.ndarray) -> np.ndarray:
    """As a telephone carries it: 300 to 3,400 Hz, in eight bits of mu-law."""
    narrow = sosfilt(butter(6, [300, 3_400], "bandpass", fs=RATE, output="sos"), sound)
    narrow /= max(np.abs(narrow).max(), 1e-9)
    folded = np.sign(narrow) * np.log1p(255 * np.abs(narrow)) / np.log(256)
    steps = np.round(folded * 127) / 127
    return 0.75 * np.sign(steps) * np.expm1(np.abs(steps) * np.log(256)) / 255


def in_a_room(sound: np.ndarray, seed: int, fade: float = 0.4) -> np.ndarray:
    """As a microphone two steps away hears it: the sound, and echoes that fade by 60 dB in `fade` seconds."""
    dice = np.random.default_rng(seed)
    time = np.arange(round(fade * RATE)) / RATE
    echoes = dice.standard_normal(len(time)) * 10 ** (-3 * time / fade) * 0.05
    echoes[: RATE // 200] = 0
    echoes[0] = 1.0
    heard = fftconvolve(sound, echoes)[: len(sound)]
    return 0.75 * heard / np.abs(heard).max()


def over(sound: np.ndarray, under: np.ndarray, decibels: float) -> np.ndarray:
    """A voice over something else, louder by so many decibels while it speaks."""
    loud = sound[np.abs(sound) > SILENT * np.abs(sound).max()]
    factor = np.sqrt(np.mean(loud**2) / np.mean(under**2)) / 10 ** (decibels / 20)
    return sound + factor * under[: len(sound)]


def silence(seconds: float, rate: int = RATE) -> np.ndarray:
    return np.zeros(round(seconds * rate))


def sequence(parts: list[np.ndarray], pauses: list[float]) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Parts with these pauses before each and after the last; where each stands, in seconds."""
    pieces, spans, at = [], [], 0
    for part, pause in zip(parts, pauses):
        quiet = silence(pause)
        pieces += [quiet, part]
        at += len(quiet)
        spans.append((at / RATE, (at + len(part)) / RATE))
        at += len(part)
    return np.concatenate([*pieces, silence(pauses[-1])]), spans


def joined(parts: list[np.ndarray]) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Parts without a pause: each fades into the next for 5 ms, in whose middle the one ends and the other begins.
    Returns the sound, and where each part stands, in seconds."""
    sound, edges = parts[0], [0.0]
    for part in parts[1:]:
        rising = (np.arange(FADE) + 0.5) / FADE
        both = sound[-FADE:] * (1 - rising) + part[:FADE] * rising
        edges.append((len(sound) - FADE / 2) / RATE)
        sound = np.concatenate([sound[:-FADE], both, part[FADE:]])
    return sound, list(zip(edges, [*edges[1:], len(sound) / RATE]))


def noise(colour: str, seconds: float, seed: int, rate: int = RATE) -> np.ndarray:
    """Noise whose power falls with frequency by 0 (white), 1 (pink) or 2 (brown), at an RMS of 0.1."""
    count = round(seconds * rate)
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(count))
    slope = {"white": 0, "pink": 0.5, "brown": 1}[colour]
    frequency = np.maximum(np.fft.rfftfreq(count, 1 / rate), 20.0)
    shaped = np.fft.irfft(spectrum / frequency**slope, count)
    return 0.1 * shaped / np.sqrt(np.mean(shaped**2))


def tuned(note: int) -> float:
    """The frequency of a MIDI note."""
    return 440.0 * 2.0 ** ((note - 69) / 12)


def music(seconds: float, seed: int, rate: int = RATE) -> np.ndarray:
    """A band: plucked chords, a bass, a lead that glides, drums. Every seed has its key, tempo and tune."""
    dice = np.random.default_rng(seed)
    sound = silence(seconds + 4, rate)
    beat, root = 60 / dice.uniform(85, 140), int(dice.integers(40, 52))
    chords = [[0, 4, 7], [9, 12, 16], [5, 9, 12], [7, 11, 14]]
    for number in range(int(seconds / beat)):
        at, chord = number * beat, chords[(number // 4) % 4]
        add(sound, at, pluck(tuned(root - 12 + chord[0]), 0.35 * beat + 0.2, rate), 0.5, rate)
        for half in (0.0, 0.5):
            for tone in chord:
                add(sound, at + half * beat, pluck(tuned(root + 12 + tone), 0.5, rate), 0.18, rate)
        if dice.random() < 0.7:
            tone = root + 24 + int(dice.choice(chord)) + int(dice.choice([0, 0, 2, 12]))
            add(sound, at + beat * float(dice.choice([0, 0.5])), lead(tuned(tone), beat * 0.9, rate), 0.2, rate)
        add(sound, at, drum("kick" if number % 2 == 0 else "snare", dice, rate), 0.5, rate)
        add(sound, at + beat / 2, drum("hat", dice, rate), 0.15, rate)
    sound = sound[: round(seconds * rate)]
    return 0.5 * sound / np.abs(sound).max()


def add(sound: np.ndarray, at: float, part: np.ndarray, level: float, rate: int) -> None:
    start = round(at * rate)
    part = part[: max(len(sound) - start, 0)]
    sound[start : start + len(part)] += level * part


def pluck(frequency: float, fade: float, rate: int) -> np.ndarray:
    time = np.arange(round(4 * fade * rate)) / rate
    partials = range(1, max(2, min(12, int(rate / 2 / frequency))))
    tones = sum(np.sin(2 * np.pi * frequency * k * time) * np.exp(-time * k / fade) / k for k in partials)
    return tones * np.minimum(time / 0.003, 1)


def lead(frequency: float, seconds: float, rate: int) -> np.ndarray:
    time = np.arange(round(seconds * rate)) / rate
    phase = 2 * np.pi * frequency * time + 0.8 * np.sin(2 * np.pi * 5.5 * time)
    tones = sum(np.sin(k * phase) / k**1.3 for k in range(1, 9) if k * frequency < rate / 2.2)
    return tones * np.minimum(1, np.minimum(time, seconds - time) / 0.03)


def drum(kind: str, dice: np.random.Generator, rate: int) -> np.ndarray:
    time = np.arange(round(0.3 * rate)) / rate
    hiss = dice.standard_normal(len(time)) * 0.3
    if kind == "kick":
        return np.sin(2 * np.pi * (50 * time + 4 * (1 - np.exp(-time / 0.03)))) * np.exp(-time / 0.09) + 0.05 * hiss
    if kind == "snare":
        return (0.5 * np.sin(2 * np.pi * 190 * time) + 1.5 * hiss) * np.exp(-time / 0.06)
    return np.append(0, np.diff(hiss)) * 2 * np.exp(-time / 0.02)
