"""Sentences from a seed. They mean nothing, but have the lengths, capitals, numbers and punctuation of real ones."""

import random

WORDS = {
    "en": "river stone account meeting valley report harbor engine garden winter letter market bridge method signal paper window "
    "forest council budget student teacher machine island history question answer measure pattern station traveler kitchen "
    "morning evening village mountain captain library program standard contract interest quarter delivery supplier customer "
    "carries shows follows opens becomes requires describes improves reaches supports the of in a to with for under against "
    "between large small early later common careful northern annual public simple several certain well-known long-term",
    "de": "Fluss Stein Bericht Brücke Hafen Garten Winter Markt Verfahren Haushalt Lieferung Vertrag Schule Lehrer Maschine Insel "
    "Frage Antwort Muster Bahnhof Küche Morgen Dorf Gebirge Bücherei zeigt folgt öffnet verlangt beschreibt erreicht trägt der die "
    "das und mit für unter gegen zwischen groß klein früh später üblich jährlich öffentlich einfach mehrere gewisse Größe Maß",
    "ar": "النهر الحجر التقرير الجسر الميناء الحديقة الشتاء السوق الطريقة الميزانية العقد المدرسة المعلم الجزيرة السؤال الجواب النمط "
    "المحطة المطبخ الصباح القرية الجبل المكتبة يظهر يتبع يفتح يطلب يصف يحمل في من إلى على مع بين تحت كبير صغير مبكر سنوي عام بسيط",
    "he": "הנהר האבן הדוח הגשר הנמל הגן החורף השוק השיטה התקציב החוזה בית המורה האי השאלה התשובה הדגם התחנה המטבח הבוקר הכפר ההר "
    "הספרייה מראה פותח דורש מתאר מגיע נושא של על עם בין תחת גדול קטן מוקדם שנתי ציבורי פשוט אחדים מסוים",
    "zh": "河流 石头 报告 桥梁 港口 花园 冬天 市场 方法 预算 合同 学校 老师 机器 岛屿 问题 答案 模式 车站 厨房 早晨 村庄 山脉 图书馆 显示 跟随 打开 需要 描述 "
    "改善 到达 支持 的 在 和 与 对于 之间 大型 早期 共同 年度 公共 简单 若干",
    "ja": "川の流れ 石 報告書 橋 港 庭園 冬 市場 方法 予算 契約 学校 先生 機械 島 質問 答え 模様 駅 台所 朝 村 山 図書館 を示す に従う を開く を求める "
    "を述べる に届く を支える は が に で と から まで 大きな 小さな 早い 年次の 公共の 簡単な いくつかの",
    "ko": "강물 돌멩이 보고서 다리 항구 정원 겨울 시장 방법 예산 계약 학교 선생님 기계 섬 질문 대답 무늬 역 부엌 아침 마을 산맥 도서관 보여 준다 따른다 연다 "
    "필요하다 설명한다 닿는다 지원한다 그리고 에서 으로 큰 작은 이른 연간 공공 단순한 여러",
}
ENDS = {"zh": "。", "ja": "。"}
COMMAS = {"zh": "，", "ja": "、", "ar": "،"}


class Prose:
    def __init__(self, seed: str, language: str = "en"):
        self.random = random.Random(seed)
        self.language = language
        self.words = WORDS[language].split()
        self.space = "" if language in ("zh", "ja") else " "

    def phrase(self, least: int, most: int) -> str:
        words = [self.random.choice(self.words) for _ in range(self.random.randint(least, most))]
        return self.capital(self.space.join(words))

    def title(self) -> str:
        return self.phrase(2, 6)

    def label(self) -> str:
        return self.phrase(1, 2)

    def sentence(self) -> str:
        words = [self.random.choice(self.words) for _ in range(self.random.randint(6, 19))]
        if self.random.random() < 0.2:
            words[self.random.randrange(len(words))] = self.number()
        if self.random.random() < 0.4:
            words[len(words) // 2] += COMMAS.get(self.language, ",")
        end = ENDS.get(self.language) or self.random.choices([".", "?"], [12, 1])[0]
        return self.capital(self.space.join(words)) + end

    def paragraph(self, least: int = 2, most: int = 6) -> str:
        return (self.space or "").join(self.sentence() for _ in range(self.random.randint(least, most)))

    def number(self) -> str:
        kinds = [
            lambda: str(self.random.randint(1, 99)),
            lambda: f"{self.random.randint(1000, 99999):,}",
            lambda: f"{self.random.uniform(0, 100):.1f}%",
            lambda: f"{self.random.uniform(1, 900):.2f}",
            lambda: str(self.random.randint(1990, 2026)),
        ]
        return self.random.choice(kinds)()

    def date(self) -> str:
        return f"2026-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}"

    @staticmethod
    def capital(text: str) -> str:
        return text[:1].upper() + text[1:]
